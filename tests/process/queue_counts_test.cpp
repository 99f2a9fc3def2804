// What a variant "...-counted" counts: a fork and a join cost what the papers say of its queue.
#include <string>

#include "process/queue_counts.h"

namespace {

using bough_test::counts;

TEST(queue_counts, everything_is_counted_and_printed) {
    EXPECT_TRUE(std::string(bough::variant()).ends_with("-counted")) << bough::variant();
    for (unsigned e = 0; e < bough::event_count; ++e) {
        const auto one = static_cast<bough::event>(e);
        const bool is_of_channels = one == bough::event::passed_on || one == bough::event::given_back ||
                                    one == bough::event::tasks_sent;
        EXPECT_EQ(bough::is_counted(one), !is_of_channels) << bough::name_of(one);
    }
    const auto outcome = bough_test::run_child("counts", {{"BOUGH_STATS", "1"}});
    EXPECT_NE(outcome.err.find(" fence "), std::string::npos) << outcome.err;
}

TEST(queue_counts, one_thread_pays_for_its_own_tasks_what_its_queue_asks) {
    auto all = counts({{"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", "1"}});
    EXPECT_EQ(all["counting"], 1);
    EXPECT_EQ(all["spawned"], bough_test::spawned);
    EXPECT_EQ(all["executed"], all["spawned"]);
    EXPECT_EQ(all["steal-won"], 0);
    EXPECT_EQ(all["exposed"], 0);
    const std::string queue = bough::variant();
    // A pop costs a fence, unless the task is private.
    if (queue.starts_with("split")) {
        EXPECT_LE(all["fence"], all["spawned"] / 100);
    } else if (queue.starts_with("mutex")) {
        EXPECT_GE(all["cas-tried"], 2 * all["spawned"]);
    } else {
        EXPECT_GE(all["fence"], all["spawned"]);
    }
}

TEST(queue_counts, what_is_stolen_is_run_once) {
    auto all = counts({{"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", "4"}});
    EXPECT_EQ(all["executed"], bough_test::spawned);
    EXPECT_LE(all["steal-won"], all["steal-tried"]);
    EXPECT_LE(all["cas-failed"], all["cas-tried"]);
    EXPECT_LE(all["exposed-unstolen"], all["exposed"]);
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv, {{"counts", bough_test::child_counts}});
}
