// wait_on_address and notify_by_address: no wake-up is lost, and only those meant are woken.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include <oneapi/tbb/detail/_utils.h>
#include <oneapi/tbb/detail/_waitable_atomic.h>

#include "sync_support.h"

namespace {

namespace r1 = tbb::detail::r1;
namespace d1 = tbb::detail::d1;
using namespace sync_test;
using namespace std::chrono_literals;

template <class Condition>
void wait_on(void* address, std::uintptr_t context, Condition condition) {
    const d1::delegated_function<Condition> d(condition);
    r1::wait_on_address(address, const_cast<d1::delegated_function<Condition>&>(d), context);
}

// Two threads hand a turn to each other; each looks and then sleeps. A lost wake-up hangs.
template <class Notify>
void take_turns(Notify notify) {
    std::atomic<int> turn{0};
    constexpr int rounds = 2000;
    on_threads(2, [&](int me) {
        for (int i = 0; i < rounds; ++i) {
            const int my_turn = 2 * i + me;
            while (turn.load(std::memory_order_acquire) != my_turn)
                wait_on(&turn, static_cast<std::uintptr_t>(me),
                        [&] { return turn.load(std::memory_order_relaxed) == my_turn; });
            turn.exchange(my_turn + 1);
            notify(&turn, static_cast<std::uintptr_t>(1 - me));
        }
    });
}

TEST(addresses, no_wake_up_is_lost) {
    take_turns([](void* a, std::uintptr_t) { r1::notify_by_address_one(a); });
    take_turns([](void* a, std::uintptr_t) { r1::notify_by_address_all(a); });
    take_turns([](void* a, std::uintptr_t other) { r1::notify_by_address(a, other); });
}

TEST(addresses, only_those_meant_are_woken) {
    int address = 0;
    std::array<int, 256> elsewhere{};  // so many that some share whatever table the addresses are sorted into
    std::atomic<int> asleep{0}, woken{0}, woken_of_context_7{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 5; ++i)
        threads.emplace_back([&, i] {
            const std::uintptr_t context = i < 2 ? 7 : 8;
            bool first = true;
            wait_on(&address, context, [&] {
                if (std::exchange(first, false))
                    asleep.fetch_add(1);
                return false;
            });
            woken.fetch_add(1);
            if (context == 7)
                woken_of_context_7.fetch_add(1);
        });
    wait_until([&] { return asleep.load() == 5; });
    for (int& other : elsewhere) {
        r1::notify_by_address_one(&other);
        r1::notify_by_address_all(&other);
        r1::notify_by_address(&other, 7);
    }
    r1::notify_by_address(&address, 9);
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(woken.load(), 0);
    r1::notify_by_address(&address, 7);
    wait_until([&] { return woken.load() == 2; });
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(woken.load(), 2);
    EXPECT_EQ(woken_of_context_7.load(), 2);
    r1::notify_by_address_one(&address);
    wait_until([&] { return woken.load() == 3; });
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(woken.load(), 3);
    r1::notify_by_address_all(&address);
    for (std::thread& t : threads)
        t.join();
}

}  // namespace
