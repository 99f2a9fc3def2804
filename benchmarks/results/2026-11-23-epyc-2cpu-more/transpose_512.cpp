// Why oneTBB is faster at transpose/nested/512 on this CPU: one thread, plain loops, and the same with a full fence
// after every so many stores. c++ -O3 transpose_512.cpp && ./a.out
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr std::size_t n = 512;
static double *a, *b;

static void run(std::size_t fence_every) {
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; j += fence_every) {
            for (std::size_t k = j; k < j + fence_every; ++k)
                b[k * n + i] = a[i * n + k];
            if (fence_every < n)
                std::atomic_thread_fence(std::memory_order_seq_cst);
        }
    }
}

static double median_us(std::size_t fence_every) {
    std::vector<double> times;
    for (int k = 0; k < 60; ++k) {
        const auto begin = std::chrono::steady_clock::now();
        run(fence_every);
        times.push_back(
            std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
    }
    std::nth_element(times.begin(), times.begin() + 30, times.end());
    return times[30];
}

int main() {
    a = static_cast<double*>(std::aligned_alloc(4096, n * n * sizeof(double)));
    b = static_cast<double*>(std::aligned_alloc(4096, n * n * sizeof(double)));
    for (std::size_t i = 0; i < n * n; ++i)
        a[i] = static_cast<double>(i), b[i] = 0;
    for (int round = 0; round < 3; ++round) {
        for (const std::size_t every : {n, std::size_t{64}, std::size_t{32}, std::size_t{16}})
            std::printf("%zu: %.0f us  ", every, median_us(every));
        std::puts("");
    }
    for (std::size_t k = 0; k < n * n; ++k)
        if (b[k] != a[k % n * n + k / n])
            return 1;
}
