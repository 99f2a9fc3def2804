#pragma once
// What the hardware allows: threads that spin on one line, and nothing else. Runs all_start and ping only.

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "common/runtime.h"
#include "common/spin.h"

namespace bench {

struct raw {
    static constexpr const char* name = "raw";
    static constexpr bool starts_all = true;
    static std::string version() { return "-"; }

    template <class F>
    static void enter(unsigned threads, const F& f) {
        std::vector<std::jthread> helpers;
        for (unsigned k = 1; k < threads; ++k)
            helpers.emplace_back(help, k);
        helpers_ = threads - 1;
        f();
        call_.run.store(nullptr, std::memory_order_relaxed);
        call_.epoch.fetch_add(1, std::memory_order_release);
    }

    // One index per thread; f must have no members.
    template <class F>
    static void parallel_for(index, index, const F&) {
        static_assert(std::is_empty_v<F>);
        call_.run.store([](index i) { F{}(i); }, std::memory_order_relaxed);
        finished_.store(0, std::memory_order_relaxed);
        // release: pairs with the acquire in help; run and finished_ are visible.
        call_.epoch.store(call_.epoch.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        F{}(0);
        spin_until([] { return finished_.load(std::memory_order_acquire) == helpers_; });
    }

private:
    static void help(unsigned k) {
        for (std::uint64_t seen = 0;; ++seen) {
            spin_until([&] { return call_.epoch.load(std::memory_order_acquire) != seen; });
            void (*const run)(index) = call_.run.load(std::memory_order_relaxed);
            if (!run)
                return;
            run(k);
            finished_.fetch_add(1, std::memory_order_release);
        }
    }

    struct alignas(64) call {
        std::atomic<std::uint64_t> epoch;
        std::atomic<void (*)(index)> run;
    };
    static inline call call_;
    alignas(64) static inline std::atomic<unsigned> finished_{0};
    alignas(64) static inline unsigned helpers_ = 0;
};

}  // namespace bench
