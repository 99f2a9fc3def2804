// Workers that are stopped while the only one is in a body.

#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <bough/bough.h>

#include "bough/detail/arena.h"

namespace bough_test {

// Calls f while the worker is in a body, then stops the workers; the body ends 100 ms later. False: they were not stopped.
template <class F>
bool stop_at_work(F&& f) {
    bough::task_arena busy(1, 0);
    std::atomic<bool> is_inside{false}, may_end{false};
    busy.enqueue([&] {
        is_inside = true;
        while (!may_end)
            std::this_thread::yield();
    });
    while (!is_inside)
        std::this_thread::yield();
    f();
    std::thread ends_later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        may_end = true;
    });
    const bool stopped = bough::detail::stop_workers();
    ends_later.join();
    return stopped;
}

}  // namespace bough_test
