// Tasks: spawn, submit, run, wait. A task is posted to the core as a free task; run_posted() is what the core calls.

#include "tasks.h"

#include <bough/detail/arena.h>
#include <bough/detail/dispatch.h>
#include <bough/detail/fp_scope.h>
#include <bough/global_control.h>

#include <exception>
#include <new>
#include <utility>

#include "contexts.h"
#include "controls.h"
#include "current.h"
#include "newer.h"

namespace bough::compat::abi {
namespace {

namespace d1 = tbb::detail::d1;
using contexts = tbb::detail::r1::task_group_context_impl;
using tbb::detail::r1::task_accessor;

// While tasks of a group run here: what the thread executes, and what can cancel the core's loops below.
class execution_scope {
public:
    execution_scope(detail::slot_view& v, d1::task_group_context& c)
        : view(v), outer_(view.executing), outer_scope_(std::exchange(view.scope, &contexts::node(c))) {}
    ~execution_scope() {
        view.scope = outer_scope_;
        view.executing = outer_;
    }
    execution_scope(const execution_scope&) = delete;
    execution_scope& operator=(const execution_scope&) = delete;

    detail::slot_view& view;

private:
    void* outer_;
    const detail::cancel_node* outer_scope_;
};

// For a critical task, which comes first. It becomes the newest of the thread's own tasks.
BOUGH_COLD void put_aside(d1::task& t, d1::task_group_context& c) {
    auto& header = prepare(t, c, d1::no_slot, d1::no_slot);
    detail::post_from(header, &task_accessor::origin_of(t).spawned_in);
}

// Runs t, and what it returns to be run next, which is of the same group. A task that throws is cancelled instead: so
// it gives up what it holds.
inline void run_chain(detail::slot_view& v, d1::task* t, d1::execution_data& data) noexcept {
    d1::task_group_context& c = *data.context;  // alive as long as there is a task of it
    const execution_scope scope(v, c);
    while (t) {
        scope.view.executing = t;
        try {
            if (contexts::is_cancelled(c)) {
                t = t->cancel(data);
            } else {
                detail::check_nesting(scope.view);
                t = t->execute(data);
            }
            data.affinity_slot = d1::no_slot;
            if (t) {
                data.original_slot = scope.view.index;
                if (detail::has_critical_tasks()) [[unlikely]]
                    return put_aside(*t, c);
            }
        } catch (...) {
            if (bough::global_control::terminates_on_exception())
                std::terminate();
            contexts::fail(c);
        }
    }
}

// Where the group computes with other settings than the thread does now.
BOUGH_NOINLINE void run_chain_with_settings(detail::slot_view& v, d1::task* t,
                                            d1::execution_data& data) noexcept {
    const detail::fp_scope settings(v, contexts::fp_settings(*data.context));
    run_chain(v, t, data);
}

void run_task(d1::task& t, d1::task_group_context& context, task_accessor::origin from) noexcept {
    d1::execution_data data;
    data.context = &context;
    data.original_slot = from.spawned_in;
    data.affinity_slot = from.affinity;
    detail::slot_view& v = *detail::current_view();
    if (contexts::fp_settings(context) != v.fp_settings) [[unlikely]]
        return run_chain_with_settings(v, &t, data);
    run_chain(v, &t, data);
}

void run_posted(detail::task& header, bool) {
    d1::task& t = task_accessor::task_of(header);
    run_task(t, task_accessor::context(t), task_accessor::origin_of(t));
}

// A task in a stream, apart from the task itself: a program may submit an object again that still lies in a stream, or
// that runs. Each time counts, and what the core keeps about one must not be what it keeps about another.
struct submitted : detail::task {
    submitted(d1::task& one, d1::task_group_context& c, d1::slot_id from)
        : t(one), context(c), spawned_in(from) {
        run = [](detail::task& header, bool) {
            const submitted self = static_cast<submitted&>(header);
            delete static_cast<submitted*>(&header);  // the task may run for long
            run_task(self.t, self.context, {self.spawned_in, d1::no_slot});
        };
    }

    d1::task& t;
    d1::task_group_context& context;
    d1::slot_id spawned_in;
};

}  // namespace

d1::task_group_context* const context_of_none = new d1::task_group_context(d1::task_group_context::isolated);

task_accessor::header& prepare(d1::task& t, d1::task_group_context& context, d1::slot_id spawned_in,
                               d1::slot_id affinity) {
    auto& header = task_accessor::prepare(t, context, {spawned_in, affinity});
    header.run = run_posted;
    return header;
}

outside_of_groups::outside_of_groups()
    : view_(detail::current_view()), outer_(view_ ? std::exchange(view_->executing, nullptr) : nullptr),
      outer_scope_(detail::exchange_scope(nullptr)) {}
outside_of_groups::~outside_of_groups() {
    detail::exchange_scope(outer_scope_);
    if (view_)
        view_->executing = outer_;
}

}  // namespace bough::compat::abi

namespace tbb::detail::r1 {

namespace core = bough::detail;
namespace abi = bough::compat::abi;

static void post(d1::task& t, d1::task_group_context& ctx) {
    auto& header = abi::prepare(t, ctx, d1::no_slot, d1::no_slot);
    core::post_from(header, &task_accessor::origin_of(t).spawned_in);
}

void spawn(d1::task& t, d1::task_group_context& ctx) {
    task_group_context_impl::bind(ctx);
    post(t, ctx);
}

void spawn(d1::task& t, d1::task_group_context& ctx, d1::slot_id id) {
    task_group_context_impl::bind(ctx);
    if (id == d1::any_slot || id == d1::no_slot)
        post(t, ctx);
    else
        core::post_to(abi::prepare(t, ctx, core::slot_index(), id), id);
}

void submit(d1::task& t, d1::task_group_context& ctx, arena* a, std::uintptr_t as_critical) {
    task_group_context_impl::bind(ctx);
    auto* const home = reinterpret_cast<core::arena*>(a);
    const d1::slot_id slot = core::slot_index();
    if (!as_critical && core::current_arena() == home)
        return core::post_from(abi::prepare(t, ctx, slot, d1::no_slot),
                               &task_accessor::origin_of(t).spawned_in);
    // Without memory in the task's own words: then it must not be submitted again before it runs.
    core::task* header = new (std::nothrow) abi::submitted(t, ctx, slot);
    if (!header)
        header = &abi::prepare(t, ctx, slot, d1::no_slot);
    header->isolation = core::current_isolation();
    core::post_in(*home, *header, as_critical ? core::lane::critical : core::lane::enqueued);
}

void wait(d1::wait_context& wait_ctx, d1::task_group_context& ctx) {
    core::work_until({task_dispatcher::is_done, &wait_ctx});
    task_group_context_impl::rethrow(ctx);
}

void execute_and_wait(d1::task& t, d1::task_group_context& t_ctx, d1::wait_context& wait_ctx,
                      d1::task_group_context& w_ctx) {
    task_group_context_impl::bind(t_ctx);
    // Trees whose roots are of one class are alike.
    const void* const kind = task_accessor::vtable(t);
    auto& header = abi::prepare(t, t_ctx, core::slot_index(), d1::no_slot);
    core::run_tree(header, {task_dispatcher::is_done, &wait_ctx}, kind);
    task_group_context_impl::rethrow(w_ctx);
}

void notify_waiters(std::uintptr_t wait_ctx_addr) {
    core::unpark_all(reinterpret_cast<const void*>(wait_ctx_addr));
}

d1::slot_id execution_slot(const d1::execution_data*) {
    const core::slot_view* here = core::current_view();
    return here ? here->index : d1::slot_id(-1);
}

d1::task* current_task_ptr() {
    return abi::current_task();
}

// Which count a group's new task adds to. One for all threads: bough's counts change on the unstolen path of few tasks.
d1::wait_tree_vertex_interface* get_thread_reference_vertex(d1::wait_tree_vertex_interface* top) {
    return top;
}

}  // namespace tbb::detail::r1
