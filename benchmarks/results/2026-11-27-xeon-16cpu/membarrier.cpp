#include <atomic>
#include <chrono>
#include <cstdio>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>
int main() {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    const unsigned n = std::thread::hardware_concurrency();
    for (unsigned spinning : {0u, 1u, 3u, 7u, n - 1}) {
        for (unsigned callers : {1u, n}) {
            std::atomic<bool> stop{false};
            std::atomic<long> work{0};
            std::vector<std::thread> t;
            if (callers == 1)
                for (unsigned i = 0; i < spinning; ++i)
                    t.emplace_back([&] {
                        long k = 0;
                        while (!stop.load(std::memory_order_relaxed)) {
                            __builtin_ia32_pause();
                            ++k;
                        }
                        work += k;
                    });
            const int calls = 2000;
            std::atomic<unsigned> ready{0};
            auto run = [&] {
                for (int i = 0; i < calls; ++i)
                    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
            };
            if (callers != 1 && spinning + 1 > n)
                continue;
            unsigned c = callers == 1 ? 1 : spinning + 1;
            usleep(2000);
            auto b = std::chrono::steady_clock::now();
            std::vector<std::thread> cs;
            for (unsigned i = 1; i < c; ++i)
                cs.emplace_back(run);
            run();
            for (auto& x : cs)
                x.join();
            double ns =
                std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - b).count();
            stop = true;
            for (auto& x : t)
                x.join();
            std::printf(
                "membarrier: %u calling, %u others spin: %.0f ns a call of each, %.0f ns a call of all\n", c,
                callers == 1 ? spinning : 0, ns / calls, ns / calls / c);
            std::fflush(stdout);
        }
    }
}
