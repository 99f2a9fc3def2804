// A plugin on bough's own API. It may be unloaded when its calls have returned: what workers do then is the library's
// code.

#include <bough/bough.h>

#include <atomic>
#include <functional>

namespace {

int sum_to(int n) {
    return bough::parallel_reduce(
        bough::blocked_range<int>(0, n), 0,
        [](const bough::blocked_range<int>& r, int s) { return s + static_cast<int>(r.size()); },
        std::plus<int>());
}

}  // namespace

extern "C" int use_plugin() {
    for (int k = 0; k < 3; ++k) {
        std::atomic<int> ran{0};
        bough::parallel_for(0, 500, [&](int) { ++ran; });
        bough::task_group tasks;
        for (int i = 0; i < 20; ++i)
            tasks.run([&] { ran += sum_to(100); });
        tasks.wait();
        bough::task_arena arena(3);
        arena.execute(
            [&] { bough::parallel_invoke([&] { ran += sum_to(1000); }, [&] { ++ran; }, [&] { ++ran; }); });
        try {
            bough::parallel_for(0, 100, [](int i) { i == 50 ? throw i : void(); });
            return 2;
        } catch (int) {
        }
        if (ran != 500 + 2000 + 1000 + 2)
            return 1;
    }
    return 0;
}
