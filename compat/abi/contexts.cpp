// Contexts: binding, cancellation down the tree, exceptions, floating-point settings.
//
// Each thread has a list of contexts. A context belongs to that of the thread that made it, and is entered there when it is
// bound, by whatever thread. Who cancels a context with children goes through all lists and cancels what has it among its
// ancestors. A context that dies before its children leaves them without a parent.
//
// A list's lock guards who is entered, the states and parents of all contexts that belong to it, and of each how many
// children it has in the same list (`near`). Its thread takes it without a locked instruction (owner_lock.h), and mostly it is
// the only one: a context is made, bound and destroyed by one thread. Others take it to cancel, to outlive their parent, to
// bind or destroy what they have not made, and at fork().
//
// A child is bound while an ancestor c is being cancelled. The canceller sets c's flag, then
// - finds no children counted. Of a near one: then the binder takes the list's lock after the canceller has had it, and sees
//   the flag. Of a far one: seq_cst operations on both sides (count_child() and the flag, the flag and has_children()); the
//   canceller sees the child, or the binder the flag. c has no descendants without children.
// - or takes all lists' locks at once. Either the child is in its list, and is cancelled; or it is bound later, and the binder
//   sees its parent's flag, since the parent was bound before, and in a list: cancelled in this pass, or it is c itself.
//
// Orders. One mutex for the tree, and for who owns which list; then the lists' locks. my_parent is written before the context
// is entered, and later only by who has all locks.
//
// A thread that ends leaves its list, with what is entered there, to the next thread that needs one. Without memory for a
// list contexts belong to one without an owner.
//
// Rejected: no lists, and whoever asks walks up to the ancestors. 40 instructions less of 1,000 for a call of a recursion, but
// a context that dies before its children must find them all the same; and while any context is cancelled every task would
// walk up as far as the recursion is deep.

#include "contexts.h"

#include <bough/detail/asymmetric_fence.h>
#include <bough/detail/fp_settings.h>
#include <bough/detail/owner_lock.h>

#include <pthread.h>

#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "current.h"

namespace tbb::detail::r1 {

using context = task_group_context_impl::context;

// What comes out in the place of an exception that there was no memory to keep. Made when the library is loaded.
static tbb_exception_ptr* const out_of_memory =
    new tbb_exception_ptr{std::make_exception_ptr(std::bad_alloc())};

static void forget(const tbb_exception_ptr* kept) {
    if (kept != out_of_memory)
        delete kept;
}

static constinit std::mutex tree;

struct atomics {
    template <class T>
    using atomic = std::atomic<T>;
    static void light_fence() noexcept { bough::machine::light_fence(); }
    static bool try_light_fence() noexcept { return bough::machine::try_light_fence(); }
    static void heavy_fence() noexcept { bough::machine::heavy_fence(); }
    static void pause() noexcept { std::this_thread::yield(); }  // who holds it may have lost its CPU
};

class alignas(64) context_list {
public:
    using node = d1::intrusive_list_node;

    // The calling thread's; null: it has none yet.
    static context_list* mine() noexcept { return mine_; }
    static context_list& take_over() noexcept;

    // What f() returns, under the lock. f is small, and copied: so all of it stays in registers on the short way.
    template <class F>
    bool locked(F f) noexcept {
        return is_locked_quickly() ? unlocked_after(f) : locked_slowly(f);
    }
    // On the short way or not at all; false: f() said so, or locked_slowly(f) goes on from here.
    template <class F>
    bool locked_quickly(F f) noexcept {
        return is_locked_quickly() && unlocked_after(f);
    }
    template <class F>
    BOUGH_NOINLINE bool locked_slowly(F f) noexcept {
        const bool is_owner = this == mine_;
        is_owner ? lock_.lock_as_owner() : lock_.lock_as_other();
        const bool result = f();
        is_owner ? lock_.unlock_as_owner() : lock_.unlock_as_other();
        return result;
    }

    void enter(node& n) noexcept {
        n.my_prev_node = nullptr;
        n.my_next_node = first_;
        if (first_)
            first_->my_prev_node = &n;
        first_ = &n;
    }
    void leave(const node& n) noexcept {
        node* const next = n.my_next_node;
        node* const previous = n.my_prev_node;
        if (next)
            next->my_prev_node = previous;
        if (previous)
            previous->my_next_node = next;
        else
            first_ = next;
    }

    // The rest is for who holds the tree's mutex.

    // No other way leads to two locks.
    static void lock_all() noexcept {
        for (context_list* l = all_; l; l = l->next_)
            l->lock_.announce_other();
        atomics::heavy_fence();
        for (context_list* l = all_; l; l = l->next_)
            l->lock_.await_owner();
    }
    static void unlock_all() noexcept {
        for (context_list* l = all_; l; l = l->next_)
            l->lock_.unlock_as_other();
    }
    // Calls see(node) for each that is entered. All are locked, here and below.
    template <class See>
    static void each(See&& see) {
        for (context_list* l = all_; l; l = l->next_)
            for (node* n = l->first_; n; n = n->my_next_node)
                see(*n);
    }
    // So, and empties the lists.
    template <class See>
    static void empty(See&& see) {
        for (context_list* l = all_; l; l = l->next_)
            for (node* n = std::exchange(l->first_, nullptr); n;)
                see(*std::exchange(n, n->my_next_node));
    }
    // Instead of unlock_all() in a child of fork(): no other thread owns a list, or is about to lock one.
    static void begin_anew() noexcept {
        for (context_list* l = all_; l; l = l->next_) {
            l->lock_.begin_anew();
            l->is_owned_ = l == mine_ || l == &without_owner_;
        }
    }

private:
    bool is_locked_quickly() noexcept { return this == mine_ && lock_.try_lock_as_owner(); }
    template <class F>
    bool unlocked_after(F& f) noexcept {
        const bool result = f();
        lock_.unlock_as_owner();
        return result;
    }

    static void hand_back(void* list) noexcept;

    bough::detail::basic_owner_lock<atomics> lock_;
    node* first_ = nullptr;
    context_list* next_ = nullptr;
    bool is_owned_ = true;  // or nobody's for good

    static constinit thread_local context_list* mine_;
    static constinit context_list without_owner_;
    static constinit context_list* all_;
};

constinit thread_local context_list* context_list::mine_ = nullptr;
constinit context_list context_list::without_owner_;
constinit context_list* context_list::all_ = &context_list::without_owner_;

// A key and not a thread_local object: contexts may be used in destructors of the program's thread_local objects, after any
// of ours.
BOUGH_COLD context_list& context_list::take_over() noexcept {
    const std::lock_guard lock(tree);  // with hand_back() orders what the owner before did
    static pthread_key_t at_exit;
    static const bool has_key = pthread_key_create(&at_exit, hand_back) == 0;
    context_list* l = all_;
    while (l && l->is_owned_)
        l = l->next_;
    if (!l) {
        l = new (std::nothrow) context_list;
        if (!l)
            return without_owner_;
        l->next_ = std::exchange(all_, l);
    }
    l->is_owned_ = true;
    mine_ = l;
    if (has_key)
        pthread_setspecific(at_exit, l);  // where that fails nobody gets the list any more
    return *l;
}

void context_list::hand_back(void* list) noexcept {
    const std::lock_guard lock(tree);
    mine_ = nullptr;
    static_cast<context_list*>(list)->is_owned_ = false;
}

namespace {

// While it lives nobody else binds or destroys a context.
class all_locked {
public:
    all_locked() noexcept : lock_(tree) { context_list::lock_all(); }
    ~all_locked() { context_list::unlock_all(); }
    all_locked(const all_locked&) = delete;
    all_locked& operator=(const all_locked&) = delete;

private:
    const std::lock_guard<std::mutex> lock_;
};

// A child of fork() has no other threads that could be in the middle of something here. What was entered leaves: much of it lies
// on stacks of threads that only the parent has, and new threads get those stacks.
void before_fork() {
    tree.lock();
    context_list::lock_all();
}
void in_parent() {
    context_list::unlock_all();
    tree.unlock();
}
void in_child() {
    context_list::each(task_group_context_impl::hear_all);  // some canceller may have got no further
    context_list::empty(task_group_context_impl::isolate);
    context_list::begin_anew();
    tree.unlock();
}
const int registered = pthread_atfork(before_fork, in_parent, in_child);

}  // namespace

static constexpr std::atomic<std::uint32_t> never{0};
constinit bough::detail::outer_group task_group_context_impl::known_by_node{nullptr, &never, nullptr,
                                                                            nullptr};

// ---- binding ----

void task_group_context_impl::bind_to(context& c, context* parent) {
    c.my_context_list->locked([&c, parent] {
        if (c.my_state.load(std::memory_order_relaxed) != state::created)
            return false;  // another thread has done it
        if (parent)
            bind_below(c, *parent);
        // release: pairs with bind().
        c.my_state.store(parent ? state::bound : state::isolated, std::memory_order_release);
        return true;
    });
}

void task_group_context_impl::bind_below(context& c, context& parent) {
    c.my_parent = &parent;
    if (!c.my_traits.fp_settings)
        c.my_cpu_ctl_env = parent.my_cpu_ctl_env;
    count_child(c, parent);
    c.my_context_list->enter(c.my_node);
    // seq_cst: with count_child() pairs with cancel().
    if (parent.my_cancellation_requested.load(std::memory_order_seq_cst) != 0)
        c.my_cancellation_requested.store(1, std::memory_order_relaxed);
}

void task_group_context_impl::hear_all(d1::intrusive_list_node& n) {
    context& c = context_of(n);
    for (const context* ancestor = c.my_parent; ancestor; ancestor = ancestor->my_parent)
        if (is_cancelled(*ancestor))
            c.my_cancellation_requested.store(1, std::memory_order_relaxed);
}

void task_group_context_impl::isolate(d1::intrusive_list_node& n) {
    context& c = context_of(n);
    if (c.my_parent)
        forget_children(*c.my_parent);
    forget_children(c);
    c.my_parent = nullptr;
    c.my_state.store(state::isolated, std::memory_order_relaxed);
}

// ---- life ----

void task_group_context_impl::initialize(context& c) {
    c.my_cpu_ctl_env = 0;
    c.my_cancellation_requested.store(0, std::memory_order_relaxed);
    c.my_may_have_children.store(0, std::memory_order_relaxed);
    c.my_state.store(state::created, std::memory_order_relaxed);
    c.my_parent = nullptr;
    c.my_context_list = context_list::mine();
    c.my_exception.store(nullptr, std::memory_order_relaxed);
    c.my_itt_caller = nullptr;
    cancel_node& node = (new (c.padding) ours)->node;
    node.hear_of(c.my_cancellation_requested);
    node.hear_of(known_by_node);
    if (c.my_traits.fp_settings || !c.my_context_list) [[unlikely]]
        initialize_rest(c);
}

void task_group_context_impl::initialize_rest(context& c) {
    if (!c.my_context_list)
        c.my_context_list = &context_list::take_over();
    if (c.my_traits.fp_settings)
        capture_fp_settings(c);
}

// No child finds the way here any more.
void task_group_context_impl::leave_tree(context& c) {
    const all_locked all;
    context_list::each([&](d1::intrusive_list_node& n) {
        if (context& child = context_of(n); child.my_parent == &c)
            child.my_parent = nullptr;
    });
    forget_children(c);
}

// Under its list's lock. False: it has children.
inline bool task_group_context_impl::leave(context& c) {
    const children& left = children_of(c);
    // acquire: pairs with the last far child's release; it touches this context no more.
    if (left.near != 0 || left.far.load(std::memory_order_acquire) != 0)
        return false;
    if (c.my_state.load(std::memory_order_relaxed) == state::bound) {
        if (c.my_parent)
            discount_child(c, *c.my_parent);
        c.my_context_list->leave(c.my_node);
    }
    c.my_state.store(state::dead, std::memory_order_relaxed);
    return true;
}

void task_group_context_impl::destroy(context& c) {
    if (c.my_exception.load(std::memory_order_relaxed) ||
        !c.my_context_list->locked_quickly([&c] { return leave(c); })) [[unlikely]]
        destroy_slowly(c);
}

void task_group_context_impl::destroy_slowly(context& c) {
    while (!c.my_context_list->locked_slowly([&c] { return leave(c); }))
        leave_tree(c);
    forget(c.my_exception.load(std::memory_order_relaxed));
}

void task_group_context_impl::reset(context& c) {
    if (c.my_exception.load(std::memory_order_relaxed)) [[unlikely]]
        forget(c.my_exception.exchange(nullptr, std::memory_order_acquire));
    c.my_cancellation_requested.store(0, std::memory_order_relaxed);
}

void task_group_context_impl::capture_fp_settings(context& c) {
    c.my_traits.fp_settings = true;
    c.my_cpu_ctl_env = bough::detail::current_fp_settings();
}

// ---- cancellation ----

bool task_group_context_impl::has_children(const context& c) {
    const children& all = children_of(c);
    if (all.far.load(std::memory_order_seq_cst) != 0)
        return true;
    return c.my_context_list->locked([&all] { return all.near != 0; });
}

bool task_group_context_impl::cancel(context& c) {
    // seq_cst, with has_children(): pairs with bind_below().
    if (c.my_cancellation_requested.load(std::memory_order_relaxed) != 0 ||
        c.my_cancellation_requested.exchange(1, std::memory_order_seq_cst) != 0)
        return false;
    if (!has_children(c))
        return true;
    const all_locked all;
    context_list::each([&](d1::intrusive_list_node& n) {
        context& candidate = context_of(n);
        const context* ancestor = candidate.my_parent;
        while (ancestor && ancestor != &c)
            ancestor = ancestor->my_parent;
        if (ancestor)
            candidate.my_cancellation_requested.store(1, std::memory_order_relaxed);
    });
    return true;
}

void task_group_context_impl::fail(context& c) noexcept {
    if (!cancel(c))
        return;
    tbb_exception_ptr* kept = new (std::nothrow) tbb_exception_ptr{std::current_exception()};
    if (!kept)
        kept = out_of_memory;
    // release: pairs with rethrow().
    c.my_exception.store(kept, std::memory_order_release);
}

void task_group_context_impl::rethrow_kept(context& c) {
    tbb_exception_ptr* kept = c.my_exception.load(std::memory_order_acquire);
    if (!kept)
        return;
    if (!c.my_traits.concurrent_wait)
        std::rethrow_exception(kept->error);
    // Several may wait for the group: one of them gets the exception.
    kept = c.my_exception.exchange(nullptr, std::memory_order_acq_rel);
    if (!kept)
        return;
    const std::exception_ptr error = kept->error;
    forget(kept);
    std::rethrow_exception(error);
}

// ---- entry points ----

void initialize(d1::task_group_context& c) {
    task_group_context_impl::initialize(c);
}

void destroy(d1::task_group_context& c) {
    task_group_context_impl::destroy(c);
}

void reset(d1::task_group_context& c) {
    task_group_context_impl::reset(c);
}

bool cancel_group_execution(d1::task_group_context& c) {
    return task_group_context_impl::cancel(c);
}

bool is_group_execution_cancelled(d1::task_group_context& c) {
    return task_group_context_impl::is_cancelled(c);
}

void capture_fp_settings(d1::task_group_context& c) {
    task_group_context_impl::capture_fp_settings(c);
}

d1::task_group_context* current_context() {
    return bough::compat::abi::context_here();
}

}  // namespace tbb::detail::r1
