// The watchdog's report where a lock is held for good, or there is more to say than fits.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "machine/report.h"
#include "machine/thread.h"
#include "support/patience.h"
#include "worker/crew.h"
#include "worker/dump.h"
#include "worker/progress.h"

namespace {

TEST(watchdog, says_that_the_crews_lock_is_held_and_goes_on) {
    bough::process_crew();
    std::atomic<bool> is_held{false}, enough{false};
    std::thread holder([&] {
        bough::process_crew().lock_for_process_fork();
        is_held = true;
        while (!enough)
            std::this_thread::yield();
        bough::process_crew().unlock_in_parent();
    });
    while (!is_held)
        std::this_thread::yield();
    EXPECT_FALSE(bough::progress_now(250).is_seen);
    testing::internal::CaptureStderr();
    bough::report_stall(7);
    const std::string held = testing::internal::GetCapturedStderr();
    enough = true;
    holder.join();
    EXPECT_NE(held.find("nothing has gone on for 7 s"), std::string::npos) << held;
    EXPECT_NE(held.find("crew: limit "), std::string::npos) << held;
    EXPECT_NE(held.find("the crew's lock is held"), std::string::npos) << held;
    EXPECT_NE(held.find("asleep: "), std::string::npos) << held;
    // It tries for some ms only, and a worker that holds the lock may be off its CPU for longer.
    EXPECT_TRUE(bough_test::comes_true([] { return bough::progress_now(250).is_seen; }));
}

TEST(watchdog, a_report_that_is_too_long_says_so) {
    char memory[16];
    bough::machine::report out(memory, sizeof memory);
    const auto written = [&] {
        testing::internal::CaptureStderr();
        out.write();
        return testing::internal::GetCapturedStderr();
    };
    out.add("%s", "exactly fifteen");
    EXPECT_EQ(written(), "exactly fifteen");
    out.add("%d", 1);
    EXPECT_EQ(written(), "exactly fifteen\nbough: the rest is left out: it is too long\n");
    out.clear();
    out.add("%d", 12);
    out.add("%s", "3");
    EXPECT_EQ(written(), "123");
}

TEST(watchdog, a_thread_that_is_gone_has_no_state) {
    EXPECT_EQ(bough::machine::look_at_thread(0).state, '?');
    EXPECT_EQ(bough::machine::look_at_thread(bough::machine::this_process_id()).state, 'R')
        << "this test runs in the first thread";
}

}  // namespace
