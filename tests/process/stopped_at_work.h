// Workers that are stopped while the only one is in a body.

#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include <bough/bough.h>

#include "bough/detail/arena.h"

namespace bough_test {

// Stops workers that are in user code for a moment. False: refused before the second that they have (crew::dismiss()).
// Where they need longer, on a crowded machine, they are asked again.
inline bool stop_workers_after_patience() {
    for (;;) {
        const auto begin = std::chrono::steady_clock::now();
        if (bough::detail::stop_workers())
            return true;
        if (std::chrono::steady_clock::now() - begin < std::chrono::seconds(1))
            return false;
    }
}

// Calls f while the worker is in a body, then stops the workers; the body ends 100 ms later. False: they were not
// stopped.
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
    const bool stopped = stop_workers_after_patience();
    ends_later.join();
    return stopped;
}

}  // namespace bough_test
