// Forks while another thread computes; each child enqueues a function and waits for it. On oneTBB it waits for a worker
// of its parent's. An ordinary oneTBB program that knows nothing of bough.
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <future>
#include <thread>

namespace {

using range = tbb::blocked_range<int>;

double sum() {
    const auto add = [](const range& some, double total) {
        for (int i = some.begin(); i != some.end(); ++i)
            total += i;
        return total;
    };
    return tbb::parallel_reduce(range(0, 100'000), 0.0, add, std::plus<>());
}

// Never returns.
void compute_in_child(double expected) {
    tbb::task_arena arena;
    std::promise<double> result;
    arena.enqueue([&] { result.set_value(sum()); });
    _exit(result.get_future().get() == expected && sum() == expected ? 0 : 1);
}

}  // namespace

int main() {
    const double expected = sum();
    std::atomic<bool> stop{false};
    std::thread load([&] {
        while (!stop)
            sum();
    });
    int right = 0;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0)
            compute_in_child(expected);
        int status = 1;
        if (child > 0 && waitpid(child, &status, 0) == child)
            right += status == 0;
    }
    stop = true;
    load.join();
    std::printf("checksum %d\n", right);
}
