#pragma once
// A loop of a few units on each of the runtimes that are compared: one of three macros says which one.

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#if defined(SIMULATE_ON_BOUGH)
#include <bough/bough.h>
#elif defined(SIMULATE_ON_ONETBB)
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#endif

namespace runtime {

inline double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
inline void pause() {
    __builtin_ia32_pause();
}

// Runs body(unit) for units 0 to units - 1, and returns when all are done.
class loop {
public:
    virtual ~loop() = default;
    virtual void run(unsigned units, const std::function<void(unsigned)>& body) = 0;
};

#if defined(SIMULATE_ON_BOUGH)

class bough_loop : public loop {
public:
    void run(unsigned units, const std::function<void(unsigned)>& body) override {
        bough::parallel_for(0u, units, [&](unsigned unit) { body(unit); });
    }
};
template <class Use>
void each_way(unsigned, Use&& use) {
    bough_loop l;
    use("bough", l);
}

#elif defined(SIMULATE_ON_ONETBB)

template <class Partitioner>
class onetbb_loop : public loop {
public:
    void run(unsigned units, const std::function<void(unsigned)>& body) override {
        tbb::parallel_for(
            tbb::blocked_range<unsigned>(0, units, 1),
            [&](const tbb::blocked_range<unsigned>& r) {
                for (unsigned unit = r.begin(); unit != r.end(); ++unit)
                    body(unit);
            },
            partitioner_);
    }

private:
    Partitioner partitioner_;
};
template <class Use>
void each_way(unsigned, Use&& use) {
    onetbb_loop<tbb::static_partitioner> fixed;
    use("onetbb-static", fixed);
    onetbb_loop<tbb::simple_partitioner> simple;
    use("onetbb-simple", simple);
    onetbb_loop<tbb::auto_partitioner> automatic;
    use("onetbb-auto", automatic);
}

#else

// A thread for each unit, all waiting on one line.
class hand_written : public loop {
public:
    explicit hand_written(unsigned threads) {
        for (unsigned i = 1; i < threads; ++i)
            others_.emplace_back([this, i] { serve(i); });
    }
    ~hand_written() override {
        body_ = nullptr;
        generation_.fetch_add(1, std::memory_order_release);
        for (std::thread& t : others_)
            t.join();
    }
    void run(unsigned, const std::function<void(unsigned)>& body) override {
        body_ = &body;
        done_.store(0, std::memory_order_relaxed);
        generation_.fetch_add(1, std::memory_order_release);
        body(0);
        while (done_.load(std::memory_order_acquire) != others_.size())
            pause();
    }

private:
    void serve(unsigned unit) {
        for (unsigned seen = 0;; ++seen) {
            while (generation_.load(std::memory_order_acquire) == seen)
                pause();
            if (body_ == nullptr)
                return;
            (*body_)(unit);
            done_.fetch_add(1, std::memory_order_release);
        }
    }

    alignas(128) std::atomic<unsigned> generation_{0};
    const std::function<void(unsigned)>* body_ = nullptr;
    alignas(128) std::atomic<std::size_t> done_{0};
    std::vector<std::thread> others_;
};
template <class Use>
void each_way(unsigned threads, Use&& use) {
    hand_written l(threads);
    use("by hand", l);
}

#endif

}  // namespace runtime
