// The parking lot and the alarm.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "park/alarm.h"
#include "park/parking_lot.h"
#include "park/wakefulness.h"
#include "park/watch.h"

namespace bough {
namespace {

TEST(parking_lot, does_not_sleep_when_ready) {
    int key = 0;
    process_parking_lot().sleep(&key, nullptr, [] { return true; });
}

TEST(parking_lot, wakes_by_key_and_by_place_only) {
    int key_a = 0, key_b = 0, place = 0;
    std::atomic<int> woken{0}, entered{0};
    parking_lot l;
    const auto sleeper = [&](int* key) {
        return std::thread([&, key] {
            l.sleep(key, &place, [&] {
                entered.fetch_add(1);
                return false;
            });
            woken.fetch_add(1);
        });
    };
    // A waker takes those that it wakes off the list before it returns.
    const auto listed = [&] {
        int count;
        do
            count = 0;
        while (!l.try_each([&](const void*, const void*, std::uintptr_t) { ++count; }));
        return count;
    };
    std::thread a = sleeper(&key_a), b = sleeper(&key_b), c = sleeper(&key_b);
    while (entered.load() < 3)
        std::this_thread::yield();
    l.wake_all(&place);  // a place is no key
    EXPECT_EQ(listed(), 3);
    l.wake_all(&key_a);
    EXPECT_EQ(listed(), 2);
    a.join();
    EXPECT_EQ(woken.load(), 1);
    l.wake_at(&place);
    b.join();
    c.join();
    EXPECT_EQ(woken.load(), 3);
}

// One thread sets a flag and wakes, the other checks and sleeps; without the check inside the list this hangs. The flag
// is set by seq_cst operations, as parking_lot.h asks: after a release store the look for sleepers may come first.
TEST(parking_lot, no_wake_up_is_lost) {
    parking_lot l;
    std::atomic<int> turn{0};
    constexpr int rounds = 20000;
    std::thread other([&] {
        for (int i = 0; i < rounds; ++i) {
            while (turn.load(std::memory_order_acquire) != 2 * i + 1)
                l.sleep(&turn, nullptr, [&] { return turn.load(std::memory_order_acquire) == 2 * i + 1; });
            turn.store(2 * i + 2, std::memory_order_seq_cst);
            l.wake_all(&turn);
        }
    });
    for (int i = 0; i < rounds; ++i) {
        turn.store(2 * i + 1, std::memory_order_seq_cst);
        l.wake_all(&turn);
        while (turn.load(std::memory_order_acquire) != 2 * i + 2)
            l.sleep(&turn, nullptr, [&] { return turn.load(std::memory_order_acquire) == 2 * i + 2; });
    }
    other.join();
}

TEST(alarm, one_publisher_answers) {
    alarm a;
    EXPECT_TRUE(a.is_raised());  // nobody watches at the start
    EXPECT_EQ(a.answer(), alarm_state::raised);
    EXPECT_EQ(a.answer(), alarm_state::quiet);
    a.raise();
    a.lower();
    EXPECT_TRUE(a.is_quiet());
}

TEST(alarm, a_dozing_watcher_neither_raises_it_nor_lowers_it) {
    alarm a;
    a.watcher_sleeps();
    EXPECT_TRUE(a.is_raised());
    a.watcher_wakes();
    EXPECT_TRUE(a.is_raised());
    a.lower();
    a.watcher_sleeps();
    EXPECT_FALSE(a.is_raised());
    EXPECT_FALSE(a.is_quiet());
    a.watcher_wakes();
    EXPECT_TRUE(a.is_quiet());
    a.watcher_sleeps();
    EXPECT_EQ(a.answer(), alarm_state::asleep);
    EXPECT_TRUE(a.is_quiet());
}

// A watcher that is about to doze.
struct dozing_watcher : ::testing::Test {
    void SetUp() override {
        w.enter();
        ASSERT_TRUE(w.try_watch(1));
        w.alarm.watcher_sleeps();
    }
    static bool never() { return false; }
    watch w;
    parking_lot lot;
};

TEST_F(dozing_watcher, is_woken_by_a_call) {
    EXPECT_FALSE(w.doze(lot, &w, 1, never));  // times out
    EXPECT_FALSE(w.doze(lot, &w, parking_lot::forever, [] { return true; }));
    std::atomic<bool> was_called{false};
    std::thread watcher([&] { was_called = w.doze(lot, &w, parking_lot::forever, never); });
    while (w.alarm.answer() != alarm_state::asleep) {
    }
    lot.wake_at(&w);
    watcher.join();
    EXPECT_TRUE(was_called);
    EXPECT_TRUE(w.alarm.is_quiet());
    EXPECT_TRUE(w.is_watched());
}

TEST_F(dozing_watcher, does_not_sleep_if_it_was_called_while_it_looked) {
    EXPECT_FALSE(w.doze(lot, &w, 1, never));
    EXPECT_EQ(w.alarm.answer(), alarm_state::asleep);  // between two sleeps
    EXPECT_TRUE(w.doze(lot, &w, parking_lot::forever, never));
}

TEST_F(dozing_watcher, is_roused_to_ask_what_it_waits_for) {
    std::atomic<bool> must_leave{false}, was_called{true};
    std::thread watcher(
        [&] { was_called = w.doze(lot, &w, parking_lot::forever, [&] { return must_leave.load(); }); });
    must_leave = true;
    w.rouse(lot);
    watcher.join();
    EXPECT_FALSE(was_called);
}

TEST(wakefulness, follows_what_comes_after_pauses) {
    constexpr machine::ticks least = 10, most = 1000;
    wakefulness w(200);
    w.was_wanted(50, most);  // it was awake
    EXPECT_EQ(w.awake_for(), 200);
    w.was_wanted(300, most);
    EXPECT_EQ(w.awake_for(), 600);
    w.was_wanted(900, most);
    EXPECT_EQ(w.awake_for(), most);
    w.was_wanted(1001, most);  // too long a pause to stay awake for
    EXPECT_EQ(w.awake_for(), most);
    for (int i = 0; i < 3; ++i)
        w.was_not_wanted(least);
    EXPECT_EQ(w.awake_for(), 125);
    for (int i = 0; i < 9; ++i)
        w.was_not_wanted(least);
    EXPECT_EQ(w.awake_for(), least);
}

TEST(wakefulness, may_have_no_end) {
    constexpr machine::ticks never = ~machine::ticks{0};
    wakefulness w(never);  // BOUGH_SPIN_US=forever
    w.was_wanted(300, 1000);
    EXPECT_EQ(w.awake_for(), never);
}

}  // namespace
}  // namespace bough
