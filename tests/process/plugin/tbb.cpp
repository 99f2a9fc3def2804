// A plugin on oneTBB's headers. A worker may still be in their code when a loop has returned, so before it is unloaded
// the plugin waits for the workers' end, as oneTBB's documentation has it.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <functional>

namespace {

namespace tbb = oneapi::tbb;

int sum_to(int n) {
    return tbb::parallel_reduce(
        tbb::blocked_range<int>(0, n), 0,
        [](const tbb::blocked_range<int>& r, int s) { return s + static_cast<int>(r.size()); },
        std::plus<int>());
}

int use_all() {
    std::atomic<int> ran{0};
    tbb::parallel_for(0, 500, [&](int) { ++ran; });
    tbb::task_group tasks;
    for (int i = 0; i < 20; ++i)
        tasks.run([&] { ran += sum_to(100); });
    tasks.wait();
    tbb::task_arena arena(3);
    arena.execute(
        [&] { tbb::parallel_invoke([&] { ran += sum_to(1000); }, [&] { ++ran; }, [&] { ++ran; }); });
    try {
        tbb::parallel_for(0, 100, [](int i) { i == 50 ? throw i : void(); });
        return 2;
    } catch (int) {
    }
    return ran == 500 + 2000 + 1000 + 2 ? 0 : 1;
}

}  // namespace

extern "C" int use_plugin() {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    for (int k = 0; k < 3; ++k)
        if (const int wrong = use_all())
            return wrong;
    // A worker that has not found its way out in 100 ms has not: asked again.
    while (!tbb::finalize(handle, std::nothrow))
        handle = tbb::task_scheduler_handle{tbb::attach{}};
    return 0;
}
