#pragma once
// Stands in for bough/bough.h, so that the tests of tests/process are compiled against oneTBB's headers as well: the
// same names, all of them oneTBB's.

#define TBB_PREVIEW_WAITING_FOR_WORKERS 1
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

namespace bough {

using namespace oneapi::tbb;

using suspend_point = task::suspend_point;
template <class F>
void suspend(F&& f) {
    task::suspend(std::forward<F>(f));
}
inline void resume(suspend_point p) {
    task::resume(p);
}

class observer : public task_scheduler_observer {
public:
    using task_scheduler_observer::observe;
    using task_scheduler_observer::task_scheduler_observer;
    virtual void on_entry(bool /*is_worker*/) {}
    virtual void on_exit(bool /*is_worker*/) {}

private:
    void on_scheduler_entry(bool is_worker) override { on_entry(is_worker); }
    void on_scheduler_exit(bool is_worker) override { on_exit(is_worker); }
};

namespace detail {

// False: not all workers have ended.
inline bool stop_workers() {
    task_scheduler_handle handle{attach{}};
    return finalize(handle, std::nothrow);
}

}  // namespace detail
}  // namespace bough
