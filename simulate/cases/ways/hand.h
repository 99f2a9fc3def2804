#pragma once
// A thread on each core, all waiting on one line; each takes its chunk of a loop, of equal length. Nested loops are
// serial.

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "threads.h"

namespace runtime {

class by_hand {
public:
    static constexpr bool has_scan = true;
    const char* name = "hand";

    by_hand() {
        for (unsigned i = 1; i < threads(); ++i)
            others_.emplace_back([this, i] { serve(i); });
    }
    ~by_hand() {
        call_ = nullptr;
        generation_.fetch_add(1, std::memory_order_release);
        for (std::thread& t : others_)
            t.join();
    }
    template <class Body>
    void for_each(std::size_t n, const Body& body) {
        on_each([&](unsigned thread) {
            for (std::size_t unit = begin_of(thread, n); unit != begin_of(thread + 1, n); ++unit)
                body(unit);
        });
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for (std::size_t unit = 0; unit != n; ++unit)
            body(unit);
    }
    // Each adds its chunk up; then each writes its own, beginning with the sum of those before.
    void scan(const double* in, double* out, std::size_t n) {
        struct alignas(128) chunk_sum {
            double value = 0;
        };
        std::vector<chunk_sum> of_chunk(threads());
        on_each([&](unsigned thread) {
            double sum = 0;
            for (std::size_t i = begin_of(thread, n); i != begin_of(thread + 1, n); ++i)
                sum += in[i];
            of_chunk[thread].value = sum;
        });
        on_each([&](unsigned thread) {
            double sum = 0;
            for (unsigned before = 0; before < thread; ++before)
                sum += of_chunk[before].value;
            for (std::size_t i = begin_of(thread, n); i != begin_of(thread + 1, n); ++i)
                out[i] = sum += in[i];
        });
    }

private:
    std::size_t begin_of(unsigned thread, std::size_t n) const { return n * thread / (others_.size() + 1); }

    template <class Work>
    void on_each(const Work& work) {
        work_ = &work;
        call_ = [](const void* w, unsigned thread) { (*static_cast<const Work*>(w))(thread); };
        done_.store(0, std::memory_order_relaxed);
        generation_.fetch_add(1, std::memory_order_release);
        work(0);
        while (done_.load(std::memory_order_acquire) != others_.size())
            pause();
    }
    void serve(unsigned thread) {
        for (unsigned seen = 0;; ++seen) {
            while (generation_.load(std::memory_order_acquire) == seen)
                pause();
            if (call_ == nullptr)
                return;
            call_(work_, thread);
            done_.fetch_add(1, std::memory_order_release);
        }
    }

    alignas(128) std::atomic<unsigned> generation_{0};
    const void* work_ = nullptr;
    void (*call_)(const void*, unsigned) = nullptr;
    alignas(128) std::atomic<std::size_t> done_{0};
    std::vector<std::thread> others_;
};

template <class Use>
void use_ways(const Use& use) {
    use([] { return by_hand{}; }, "hand");
}

}  // namespace runtime
