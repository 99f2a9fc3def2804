// Who waits for a thread that is in the middle of something, and may have lost its CPU to the one that waits, lets it
// have it: sleeps, and does not only yield, which leaves the CPU to no thread of lower priority.

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <thread>

#include "bough/detail/fork_lock.h"
#include "bough/detail/owner_lock.h"
#include "machine/atomics.h"
#include "machine/interrupt.h"
#include "machine/thread.h"
#include "share/hand_off_cell.h"
#include "support/patience.h"

namespace bough {
namespace {

class other_thread {
public:
    template <class F>
    explicit other_thread(F&& f)
        : thread_([this, f] {
              id_.store(machine::this_thread_id());
              f();
          }) {}
    ~other_thread() { thread_.join(); }

    // In the system's sleep, as seen from outside, however short.
    bool falls_asleep() const {
        return bough_test::comes_true(
            [this] { return id_.load() != 0 && machine::look_at_thread(id_.load()).state == 'S'; });
    }

private:
    std::atomic<int> id_{0};
    std::thread thread_;
};

// Runs `meanwhile` in the middle of writing an assignment.
std::function<void()> meanwhile;

struct interrupted_atomics : machine::atomics {
    template <class T>
    class plain : public machine::atomics::plain<T> {
    public:
        template <class Write>
        void write(Write&& write) {
            if (meanwhile)
                meanwhile();
            machine::atomics::plain<T>::write(write);
        }
    };
    static bool try_light_fence() { return machine::try_light_fence(); }
};

TEST(spin_wait, a_receiver_that_closes_its_cell_lets_the_sender_have_the_cpu) {
    using cell = basic_hand_off_cell<interrupted_atomics>;
    cell c;
    c.open();
    std::optional<cell::assignment> got;
    std::optional<other_thread> receiver;
    bool slept = false;
    meanwhile = [&] {
        receiver.emplace([&] { got = c.close(); });
        slept = receiver->falls_asleep();
    };
    cell::assignment a;
    a.first = 7;
    EXPECT_TRUE(c.try_hand_off(a));
    meanwhile = nullptr;
    receiver.reset();
    EXPECT_TRUE(slept);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->first, 7u);
}

TEST(spin_wait, both_sides_of_an_owner_lock_let_the_holder_have_the_cpu) {
    detail::basic_owner_lock<interrupted_atomics> lock;
    lock.lock_as_owner();
    {
        const other_thread another([&] {
            lock.lock_as_other();
            lock.unlock_as_other();
        });
        EXPECT_TRUE(another.falls_asleep());
        lock.unlock_as_owner();
    }
    lock.lock_as_other();
    const other_thread owner([&] {
        lock.lock_as_owner();
        lock.unlock_as_owner();
    });
    EXPECT_TRUE(owner.falls_asleep());
    lock.unlock_as_other();
}

TEST(spin_wait, who_wants_a_fork_lock_lets_the_holder_have_the_cpu) {
    detail::fork_lock lock;
    lock.lock();
    const other_thread another([&] {
        lock.lock();
        lock.unlock();
    });
    EXPECT_TRUE(another.falls_asleep());
    lock.unlock();
}

}  // namespace
}  // namespace bough
