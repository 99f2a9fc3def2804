// BOUGH_MAIL: letters are sent and read where a tree is worth them, and each task runs once.

#include <atomic>
#include <string_view>
#include <thread>

#include <gtest/gtest.h>

#include <bough/bough.h>
#include <bough/statistics.h>

#include "process/queue_counts.h"

namespace {

constexpr int threads = 4, trees = 60;

// `count` tasks of a fork-join tree, each of which waits until all have begun. So every thread sits in its slot, and
// the tree takes longer than a letter.
void meet(std::atomic<int>& begun, int count, int all) {
    if (count == 1) {
        ++begun;
        while (begun < all)
            std::this_thread::yield();
        return;
    }
    bough::parallel_invoke([&] { meet(begun, count / 2, all); },
                           [&] { meet(begun, count - count / 2, all); });
}

int child_meets() {
    const auto before = bough::statistics_now().total;
    for (int i = 0; i < trees; ++i) {
        std::atomic<int> begun{0};
        meet(begun, threads, threads);
        if (begun != threads)
            return 1;
    }
    const auto after = bough::statistics_now().total - before;
    for (unsigned e = 0; e < bough::event_count; ++e)
        std::cout << bough::name_of(static_cast<bough::event>(e)) << ' ' << after.of[e] << '\n';
    return 0;
}

std::map<std::string, long long> counts_of(bough_test::settings with) {
    with.insert({{"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", std::to_string(threads)}});
    const auto outcome = bough_test::run_child("meets", with);
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
    return bough_test::numbers_in(outcome.out);
}

TEST(mail, trees_whose_tasks_meet_are_mailed_and_read) {
    for (const char* gate : {"timespan", "2ms", "off", "count:1"}) {
        for (const char* mail : {"letters", "always"}) {
            SCOPED_TRACE(std::string(mail) + ", gate " + gate);
            auto all = counts_of({{"BOUGH_MAIL", mail}, {"BOUGH_GATE", gate}});
            EXPECT_EQ(all["executed"], trees * (threads - 1));
            EXPECT_GT(all["mailed"], 0);
            // Under a sanitizer a letter takes longer than the usual gates, and thieves come first.
            if (std::string_view(gate) == "2ms") {
                EXPECT_GT(all["taken-from-mailbox"], 0);
            }
            EXPECT_LE(all["taken-from-mailbox"], all["mailed"]);
            EXPECT_LE(all["mailed"], trees * (threads - 1));  // a task goes to one slot
        }
    }
}

// To a worker that waits, or by a letter.
TEST(mail, trees_whose_tasks_meet_are_handed_out_at_their_start) {
    auto all = counts_of({{"BOUGH_MAIL", "start"}});
    EXPECT_EQ(all["executed"], trees * (threads - 1));
    EXPECT_GT(all["mailed"] + all["handed-off"], 0);
    EXPECT_LE(all["taken-from-mailbox"], all["mailed"]);
}

TEST(mail, off_means_none) {
    auto all = counts_of({{"BOUGH_MAIL", "off"}});
    EXPECT_EQ(all["executed"], trees * (threads - 1));
    EXPECT_EQ(all["mailed"], 0);
    EXPECT_EQ(all["taken-from-mailbox"], 0);
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv, {{"meets", child_meets}});
}
