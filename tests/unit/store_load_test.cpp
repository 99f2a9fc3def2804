// What every protocol here takes for granted of the processor, or of what emulates it (cmake/aarch64/as): of two
// threads that store and then load what the other stores, all seq_cst, one sees the other's store.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace {

struct alignas(128) flag {
    std::atomic<int> value{0};
};

void wait_for(const flag& f, int value) {
    constexpr int looks = 1000;
    for (int i = 0; f.value.load(std::memory_order_acquire) != value; ++i)
        if (i >= looks)
            std::this_thread::yield();
}

TEST(store_load, one_of_two_sees_the_other) {
    constexpr int rounds = 20'000;
    flag first, second, begun, ended;
    int seen_by_second = 0;
    std::thread other([&] {
        for (int k = 1; k <= rounds; ++k) {
            wait_for(begun, k);
            second.value.store(k, std::memory_order_seq_cst);
            seen_by_second = first.value.load(std::memory_order_seq_cst);
            ended.value.store(k, std::memory_order_release);
        }
    });
    int missed = 0;
    for (int k = 1; k <= rounds; ++k) {
        begun.value.store(k, std::memory_order_release);
        for (int wait = 0; wait < k % 64; ++wait)
            static_cast<void>(ended.value.load(std::memory_order_relaxed));
        first.value.store(k, std::memory_order_seq_cst);
        const int seen = second.value.load(std::memory_order_seq_cst);
        wait_for(ended, k);
        missed += seen != k && seen_by_second != k;
    }
    other.join();
    EXPECT_EQ(missed, 0) << "of " << rounds << " rounds";
}

}  // namespace
