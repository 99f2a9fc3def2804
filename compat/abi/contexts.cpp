// Contexts: binding, cancellation down the tree, exceptions, floating-point settings.
//
// A bound context is entered into one of a few lists. Who cancels a context with children goes through all lists and
// cancels what has it among its ancestors. A context that dies before its children leaves them without a parent.
//
// A child is bound while its parent is being cancelled: either the canceller finds it among the children (`near` under the
// list's mutex, which the binder has held; `far` by seq_cst operations on both sides), or the binder sees the parent
// cancelled.
//
// Orders. One mutex for the tree, one per list; the tree's before a list's. my_parent is written before the context is
// entered, and later only under both.
// A child is bound while an ancestor is being cancelled: either the canceller's pass over the list comes after the
// entry, and finds it; or it comes before, and then what the canceller did before its pass (it made `passes` odd) is
// visible to the binder, which waits for the pass to end and asks its parent.

#include "contexts.h"

#include <bough/detail/fp_settings.h>

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

// Held for some ns, by two threads at once hardly ever: one locked operation, where a mutex has two.
class list_mutex {
public:
    void lock() noexcept {
        // acquire: pairs with unlock().
        while (held_.exchange(true, std::memory_order_acquire))
            std::this_thread::yield();  // who holds it may have lost its CPU
    }
    void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    std::atomic<bool> held_{false};
};

// Static: a context may be bound and die at any time of the process's life.
class alignas(64) context_list {
public:
    // The one that the calling thread enters contexts into. Threads that share one wait for each other, no more.
    static context_list& mine() noexcept {
        static std::atomic<unsigned> threads{0};
        static thread_local const unsigned number = threads.fetch_add(1, std::memory_order_relaxed);
        return all[number % count];
    }

    using node = d1::intrusive_list_node;

    // Under the mutex.
    void enter(node& n) noexcept {
        n.my_prev_node = nullptr;
        n.my_next_node = first_;
        if (first_)
            first_->my_prev_node = &n;
        first_ = &n;
    }
    list_mutex& mutex() noexcept { return mutex_; }

    // False, and nothing done, if last() says so, which is called under the mutex.
    template <class Last>
    bool leave(const node& n, Last&& last) noexcept {
        const std::lock_guard lock(mutex_);
        if (!last())
            return false;
        node* const next = n.my_next_node;
        node* const previous = n.my_prev_node;
        if (next)
            next->my_prev_node = previous;
        if (previous)
            previous->my_next_node = next;
        else
            first_ = next;
        return true;
    }

    // Calls see() under the mutex.
    template <class See>
    void look(See&& see) noexcept {
        const std::lock_guard lock(mutex_);
        see();
    }

    // Calls see(node) for each that is entered. The caller holds the tree's mutex.
    template <class See>
    static void each(See&& see) {
        for (context_list& l : all) {
            const std::lock_guard lock(l.mutex_);
            l.each_here(see);
        }
    }
    // The same between lock_all() and unlock_all().
    template <class See>
    static void each_of_locked(See&& see) {
        for (context_list& l : all)
            l.each_here(see);
    }
    // So, and empties the lists.
    template <class See>
    static void empty_locked(See&& see) {
        for (context_list& l : all)
            for (node* n = std::exchange(l.first_, nullptr); n;)
                see(*std::exchange(n, n->my_next_node));
    }

    // In the order in which a canceller would, so before any other.
    static void lock_all() noexcept {
        for (context_list& l : all)
            l.mutex_.lock();
    }
    static void unlock_all() noexcept {
        for (context_list& l : all)
            l.mutex_.unlock();
    }

private:
    template <class See>
    void each_here(See& see) {
        for (node* n = first_; n; n = n->my_next_node)
            see(*n);
    }

    static constexpr unsigned count = 16;

    list_mutex mutex_;
    node* first_ = nullptr;

    static constinit context_list all[count];
};

constinit context_list context_list::all[context_list::count];

namespace {

constinit std::mutex tree;
// Odd while somebody passes over the lists.
constinit std::atomic<std::uint64_t> passes{0};

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
    context_list::each_of_locked(
        task_group_context_impl::hear_all);  // some canceller may have got no further
    context_list::empty_locked(task_group_context_impl::isolate);
    in_parent();
}
const int registered = pthread_atfork(before_fork, in_parent, in_child);

}  // namespace

// ---- binding ----

void task_group_context_impl::bind_first(context& c, context* parent, bool to_current) {
    if (to_current && c.my_traits.bound)
        parent = bough::compat::abi::context_here();
    state expected = state::created;
    // release: pairs with bind().
    if (parent ? bind_below(c, *parent)
               : c.my_state.compare_exchange_strong(expected, state::isolated, std::memory_order_release))
        return;
    while (c.my_state.load(std::memory_order_acquire) == state::locked)
        machine_pause(1);
}

// False: another thread does it, or has done it. A child of fork() finds no context half bound: who forks holds all lists, and
// isolates those that were entered and waited for the end of a pass.
bool task_group_context_impl::bind_below(context& c, context& parent) {
    context_list& mine = context_list::mine();
    std::unique_lock lock(mine.mutex());
    state expected = state::created;
    if (!c.my_state.compare_exchange_strong(expected, state::locked, std::memory_order_acquire))
        return false;
    c.my_parent = &parent;
    if (!c.my_traits.fp_settings)
        c.my_cpu_ctl_env = parent.my_cpu_ctl_env;
    c.my_context_list = &mine;
    count_child(c, parent);
    mine.enter(c.my_node);
    if (passes.load(std::memory_order_acquire) % 2 != 0) {
        lock.unlock();
        const std::lock_guard wait_for_its_end(tree);
    }
    // seq_cst: with count_child() pairs with cancel().
    if (parent.my_cancellation_requested.load(std::memory_order_seq_cst) != 0)
        c.my_cancellation_requested.store(1, std::memory_order_relaxed);
    // release: pairs with bind().
    c.my_state.store(state::bound, std::memory_order_release);
    return true;
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
    c.my_context_list = nullptr;
    c.my_state.store(state::isolated, std::memory_order_relaxed);
}

// ---- life ----

void task_group_context_impl::initialize(context& c) {
    c.my_cpu_ctl_env = 0;
    c.my_cancellation_requested.store(0, std::memory_order_relaxed);
    c.my_may_have_children.store(0, std::memory_order_relaxed);
    c.my_state.store(state::created, std::memory_order_relaxed);
    c.my_parent = nullptr;
    c.my_context_list = nullptr;
    c.my_node.my_prev_node = c.my_node.my_next_node = nullptr;
    c.my_exception.store(nullptr, std::memory_order_relaxed);
    c.my_itt_caller = nullptr;
    new (c.padding) children;
    if (c.my_traits.fp_settings)
        capture_fp_settings(c);
}

// No child finds the way here any more.
void task_group_context_impl::leave_tree(context& c) {
    const std::lock_guard lock(tree);
    context_list::each([&](d1::intrusive_list_node& n) {
        if (context& child = context_of(n); child.my_parent == &c)
            child.my_parent = nullptr;
    });
    forget_children(c);
}

void task_group_context_impl::destroy(context& c) {
    const auto leave = [&c] {
        // acquire: pairs with the last far child's release; it touches this context no more.
        const children& left = children_of(c);
        if (!c.my_context_list)
            return left.far.load(std::memory_order_acquire) == 0;
        return c.my_context_list->leave(c.my_node, [&] {
            if (left.near != 0 || left.far.load(std::memory_order_acquire) != 0)
                return false;
            if (c.my_parent)
                discount_child(c, *c.my_parent);
            return true;
        });
    };
    while (!leave())
        leave_tree(c);
    forget(c.my_exception.load(std::memory_order_relaxed));
    c.my_state.store(state::dead, std::memory_order_relaxed);
}

void task_group_context_impl::reset(context& c) {
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
    // acquire: pairs with bind_first(); the list is known. Being bound it may have some soon.
    const state s = c.my_state.load(std::memory_order_acquire);
    bool has_near = s == state::locked;
    if (s == state::bound)
        c.my_context_list->look([&] { has_near = all.near != 0; });
    return has_near;
}

bool task_group_context_impl::cancel(context& c) {
    // seq_cst, with has_children(): pairs with bind_below().
    if (c.my_cancellation_requested.load(std::memory_order_relaxed) != 0 ||
        c.my_cancellation_requested.exchange(1, std::memory_order_seq_cst) != 0)
        return false;
    if (!has_children(c))
        return true;
    const std::lock_guard lock(tree);
    passes.fetch_add(1, std::memory_order_relaxed);  // visible to whoever locks a list after this pass has
    context_list::each([&](d1::intrusive_list_node& n) {
        context& candidate = context_of(n);
        const context* ancestor = candidate.my_parent;
        while (ancestor && ancestor != &c)
            ancestor = ancestor->my_parent;
        if (ancestor)
            candidate.my_cancellation_requested.store(1, std::memory_order_relaxed);
    });
    passes.fetch_add(1,
                     std::memory_order_release);  // pairs with bind_below(): the ancestors' flags are visible
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

void task_group_context_impl::rethrow(context& c) {
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
