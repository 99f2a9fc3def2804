// Contexts: binding, cancellation down the tree, exceptions, floating-point settings.
//
// Each thread has a list of contexts. A context belongs to that of the thread that first binds it, and is entered there
// if it gets a parent. Who cancels a context goes through its list and cancels what has it among its ancestors; through
// all lists if it, or one of these, has children elsewhere. A context that dies before its children leaves them without
// a parent.
//
// A list's lock guards who is entered, the states and parents of all contexts that belong to it, and of each that is
// entered how many children it has in the same list (`near`). Its thread takes it without a locked instruction
// (owner_lock.h), and mostly it is the only one: a context is bound and destroyed by one thread. Others take it to
// cancel, to outlive their parent, to destroy what they have not bound, and at fork(). What is not entered, since
// nothing is above it or it was never used, has no near children, and is cancelled and destroyed without any lock.
//
// A child is bound while an ancestor is being cancelled. Of the chain of ancestors, let p be the parent, cancelled
// already or by this pass: its flag is set. The canceller then
// - had p's list alone, and saw no far child of p. A near one is in that list, and is cancelled; or it is bound later,
//   and the binder, who takes the lock after the canceller, sees the flag. A far one: seq_cst operations on both sides
//   (count_child() before the flag, the flag before `far`); the canceller sees the child, or the binder the flag.
// - or had all lists at once. Either the child is in its list, and is cancelled, or it is bound later, and the binder
//   sees the flag.
// p is reached in turn: it was bound before its child, so it is found, or has seen the flag of its own parent.
// The context that is cancelled may be in no list yet: then seq_cst operations on both sides (the flag before the list,
// the list before the flag) let the canceller find the list, or each child that is bound later the flag.
//
// Orders. One mutex for the tree, and for who owns which list; then the lists' locks. my_parent is written before the
// context is entered, and later only by who has all locks; and nobody dies before its children without these. So with
// the lock of a context's list one may walk up from it.
//
// A thread that ends leaves its list, with what is entered there, to the next thread that needs one. Without memory for
// a list contexts belong to one without an owner.
//
// Rejected: no lists, and whoever asks walks up to the ancestors. 40 instructions less of 1,000 for a call of a
// recursion, but a context that dies before its children must find them all the same; and while any context is
// cancelled every task would walk up as far as the recursion is deep.

#include "contexts.h"

#include <bough/detail/raise.h>
#include <bough/exports/fp_settings.h>

#include <pthread.h>

#include <new>

#include "context_list.h"
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

namespace {

// While it lives nobody else binds or destroys a context.
class all_locked {
public:
    all_locked() noexcept { context_list::lock_all(); }
    ~all_locked() { context_list::unlock_all(); }
    all_locked(const all_locked&) = delete;
    all_locked& operator=(const all_locked&) = delete;
};

// A child of fork() has no other threads that could be in the middle of something here. What was entered leaves: much
// of it lies on stacks of threads that only the parent has, and new threads get those stacks.
void before_fork() {
    context_list::begin_fork();
}
void in_parent() {
    context_list::end_fork_in_parent();
}
void in_child() {
    context_list::each(task_group_context_impl::hear_all);  // some canceller may have got no further
    context_list::empty(task_group_context_impl::isolate);
    context_list::end_fork_in_child();
}
const int registered = pthread_atfork(before_fork, in_parent, in_child);

}  // namespace

static constexpr std::atomic<std::uint32_t> never{0};
constinit bough::detail::outer_group task_group_context_impl::known_by_node{nullptr, &never, nullptr, nullptr,
                                                                            nullptr};

// ---- binding ----

void task_group_context_impl::bind_to(context& c, context* parent) {
    context_list *const mine = &context_list::mine(), *list = nullptr;
    // seq_cst: pairs with cancel().
    if (list_word(c).compare_exchange_strong(list, mine, std::memory_order_seq_cst))
        list = mine;
    list->locked([&c, parent] {
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
    list_of(c)->enter(c.my_node);
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
    c.my_context_list = nullptr;
    c.my_exception.store(nullptr, std::memory_order_relaxed);
    c.my_itt_caller = nullptr;
    cancel_node& node = (new (c.padding) ours)->node;
    node.hear_of(c.my_cancellation_requested);
    node.hear_of(known_by_node);
    if (c.my_traits.fp_settings) [[unlikely]]
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

// Under its list's lock, if it is entered. False: it has children.
inline bool task_group_context_impl::leave(context& c) {
    const children& left = children_of(c);
    // acquire: pairs with the last far child's release; it touches this context no more.
    if (left.near != 0 || left.far.load(std::memory_order_acquire) != 0)
        return false;
    if (is_entered(c)) {
        if (c.my_parent)
            discount_child(c, *c.my_parent);
        list_of(c)->leave(c.my_node);
    }
    c.my_state.store(state::dead, std::memory_order_relaxed);
    return true;
}

inline bool task_group_context_impl::leave_quickly(context& c) {
    return is_entered(c) ? list_of(c)->locked_quickly([&c] { return leave(c); }) : leave(c);
}

void task_group_context_impl::destroy(context& c) {
    if (c.my_exception.load(std::memory_order_relaxed) || !leave_quickly(c)) [[unlikely]]
        destroy_slowly(c);
}

void task_group_context_impl::destroy_slowly(context& c) {
    while (!(is_entered(c) ? list_of(c)->locked_slowly([&c] { return leave(c); }) : leave(c)))
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

bool task_group_context_impl::is_below(const context& c, const context& other) {
    const context* ancestor = c.my_parent;
    while (ancestor && ancestor != &other)
        ancestor = ancestor->my_parent;
    return ancestor != nullptr;
}

// Under the lock of c's list. True: nothing below c lies in any other list, so all is cancelled.
bool task_group_context_impl::cancel_near(context& c) {
    if (children_of(c).near == 0)
        return true;
    return list_of(c)->all_of([&c](d1::intrusive_list_node& n) {
        context& candidate = context_of(n);
        if (!is_below(candidate, c))
            return true;
        // seq_cst, both: pair with bind_below().
        candidate.my_cancellation_requested.store(1, std::memory_order_seq_cst);
        return children_of(candidate).far.load(std::memory_order_seq_cst) == 0;
    });
}

bool task_group_context_impl::cancel(context& c) {
    // seq_cst, with `far`: pairs with bind_below().
    if (c.my_cancellation_requested.load(std::memory_order_relaxed) != 0 ||
        c.my_cancellation_requested.exchange(1, std::memory_order_seq_cst) != 0)
        return false;
    if (children_of(c).far.load(std::memory_order_seq_cst) == 0) {
        // seq_cst: pairs with bind_to(). acquire: what is isolated stays so.
        context_list* const list = list_word(c).load(std::memory_order_seq_cst);
        if (!list || c.my_state.load(std::memory_order_acquire) == state::isolated ||
            list->locked([&c] { return cancel_near(c); }))
            return true;
    }
    const all_locked all;
    context_list::each([&c](d1::intrusive_list_node& n) {
        if (context& candidate = context_of(n); is_below(candidate, c))
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
        bough::detail::raise_again(kept->error);
    // Several may wait for the group: one of them gets the exception.
    kept = c.my_exception.exchange(nullptr, std::memory_order_acq_rel);
    if (!kept)
        return;
    const std::exception_ptr error = kept->error;
    forget(kept);
    bough::detail::raise_again(error);
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
