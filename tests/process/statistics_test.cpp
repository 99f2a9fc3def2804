// bough/statistics.h: what is counted with BOUGH_STATS=1, and that nothing is without.
#include <bough/bough.h>
#include <bough/statistics.h>

#include "machine/topology.h"
#include "process/queue_counts.h"
#include "profile/profile.h"

namespace {

using bough::event;

using bough_test::counts;

TEST(statistics, nothing_is_counted_unless_asked_for) {
    for (const bough_test::settings& s : {bough_test::settings{}, {{"BOUGH_STATS", "0"}}}) {
        const auto all = counts(s);
        EXPECT_EQ(all.size(), bough::event_count + 3);
        for (const auto& [name, value] : all)
            EXPECT_EQ(value, 0) << name;
    }
}

// What goes on inside a queue the library does not count: queue_counts_test.cpp has those that do.
TEST(statistics, one_thread_runs_what_it_spawns) {
    auto all = counts({{"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", "1"}});
    EXPECT_EQ(all["counting"], 1);
    EXPECT_EQ(all["spawned"], bough_test::spawned);
    EXPECT_EQ(all["executed"], all["spawned"]);
    EXPECT_EQ(all["steal-won"], 0);
    EXPECT_EQ(all["fence"], 0);
    EXPECT_GE(all["slots"], 1);
    EXPECT_GT(all["working"], 0);
    for (const event e : {event::exposed, event::exposed_unstolen, event::signal_sent, event::fence,
                          event::cas_tried, event::cas_failed})
        EXPECT_FALSE(bough::is_counted(e)) << bough::name_of(e);
    EXPECT_TRUE(bough::is_counted(event::spawned));
}

TEST(statistics, what_is_not_counted_is_not_printed) {
    const auto outcome = bough_test::run_child("counts", {{"BOUGH_STATS", "1"}});
    EXPECT_NE(outcome.err.find("bough: spawned "), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find(" fence "), std::string::npos) << outcome.err;
}

TEST(statistics, what_is_stolen_is_run_once) {
    auto all = counts({{"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", "4"}});
    EXPECT_EQ(all["executed"], bough_test::spawned);
    EXPECT_LE(all["steal-won"], all["steal-tried"]);
}

// An enqueued function and the first task of a pipeline are executed, but lie in no local queue.
int child_unspawned() {
    std::atomic<bool> ran{false};
    bough::task_arena arena;
    arena.enqueue([&ran] { ran = true; });
    while (!ran)
        std::this_thread::yield();
    bough::parallel_pipeline(1, bough::make_filter<void, void>(bough::filter_mode::serial_in_order,
                                                               [](bough::flow_control& f) { f.stop(); }));
    const auto all = bough::statistics_now().total;
    std::cout << "more " << all[event::executed] - all[event::spawned] << " handed " << all[event::handed_off]
              << '\n';
    return 0;
}

TEST(statistics, more_is_executed_than_spawned_where_tasks_lie_in_no_local_queue) {
    const auto outcome =
        bough_test::run_child("unspawned", {{"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", "1"}});
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
    EXPECT_EQ(outcome.out, "more 2 handed 0\n");
}

// Of the caller's slot, in ns, up to now.
double caller_working() {
    bough::task_group group;
    group.run([] {});
    group.wait();  // so that it has one
    for (const auto& s : bough::statistics_now().slots)
        if (s.arena == 0 && s.slot == 0)
            return s.counted.working_ns;
    return 0;
}

// A caller that has slept until its loop's helper was done works again.
int child_works_after_a_join() {
    constexpr std::chrono::milliseconds while_helped{20}, afterwards{50};
    const auto caller = std::this_thread::get_id();
    const double before = caller_working();
    std::atomic<int> begun{0};
    bough::parallel_for(0, 2, [&](int) {
        ++begun;
        while (begun != 2)
            std::this_thread::yield();
        if (std::this_thread::get_id() != caller)
            std::this_thread::sleep_for(while_helped);
    });
    std::this_thread::sleep_for(afterwards);
    const double worked = caller_working() - before;
    std::cout << worked << std::endl;
    // Ticks are counted as nanoseconds by a rate that is good to some 0.5 %; who counts as asleep has next to none.
    return worked >= 0.9 * std::chrono::duration<double, std::nano>(afterwards).count() ? 0 : 1;
}

// Nothing ends what the caller does here: it works all the time, and all that is counted is the spell it is in.
int child_is_in_a_spell() {
    constexpr std::chrono::milliseconds nap{20};
    const double before = caller_working();
    std::this_thread::sleep_for(nap);
    const double worked = caller_working() - before;
    std::cout << worked << std::endl;
    return worked >= 0.9 * std::chrono::duration<double, std::nano>(nap).count() ? 0 : 1;
}

TEST(statistics, what_goes_on_is_counted) {
    const auto outcome =
        bough_test::run_child("is_in_a_spell", {{"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", "1"}});
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
}

TEST(statistics, who_has_slept_in_a_loop_works_afterwards) {
    const auto outcome = bough_test::run_child(
        "works_after_a_join", {{"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", "2"}, {"BOUGH_SPIN_US", "0"}});
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
}

constexpr int affinity_loops = 200;

// Returns when two threads have met.
void await_a_worker() {
    std::atomic<int> begun{0};
    bough::parallel_for(0, 2, [&](int) {
        ++begun;
        while (begun != 2)
            std::this_thread::yield();
    });
}

// Loops of an affinity_partitioner with bodies that last so long.
int child_affinity(std::chrono::nanoseconds body) {
    bough::affinity_partitioner affinity;
    await_a_worker();
    const auto loop = [&] {
        bough::parallel_for(
            0, 64,
            [body](int) {
                if (body.count() == 0)
                    return;  // 64 looks at the clock are worth a hand-off
                for (const auto end = std::chrono::steady_clock::now() + body;
                     std::chrono::steady_clock::now() < end;) {
                }
            },
            affinity);
    };
    for (int i = 0; i < 10; ++i)
        loop();
    const auto before = bough::statistics_now().total;
    for (int i = 0; i < affinity_loops; ++i)
        loop();
    const auto after = bough::statistics_now().total - before;
    for (const event e : {event::handed_off, event::mailed, event::spawned})
        std::cout << bough::name_of(e) << ' ' << after.of[static_cast<unsigned>(e)] << '\n';
    return 0;
}

// What a calibration would write where a hand-off takes a millisecond. The short loops are shorter under every
// sanitizer and beside every load.
std::string profile_of_slow_hand_offs() {
    constexpr double slow_ns = 1e6;
    bough::profile values = bough::default_profile(2);
    values.timespan_ns = {slow_ns};
    values.handoff_ns = slow_ns;
    return bough::to_json({values, bough::machine_identity(), "today", "by a test"});
}

// One that is over before another thread could begin is run where it is called; the chunks of no other are tasks. A
// few of the short ones pass for long when the system takes the CPU away in them.
TEST(statistics, a_loop_with_affinity_touches_nobody_if_it_is_short_and_mails_nothing) {
    const std::string profile =
        ::testing::TempDir() + "bough_slow_hand_offs_" + std::to_string(getpid()) + ".json";
    std::ofstream(profile) << profile_of_slow_hand_offs();
    for (const std::string body : {"short", "long"}) {
        SCOPED_TRACE(body);
        bough_test::settings with{
            {"BOUGH_STATS", "1"}, {"BOUGH_NUM_THREADS", "2"}, {"BOUGH_SPIN_US", "forever"}};
        if (body == "short")
            with["BOUGH_PROFILE"] = profile;
        const auto outcome = bough_test::run_child(body + "_affinity", with);
        EXPECT_TRUE(outcome.succeeded()) << outcome.what();
        auto all = bough_test::numbers_in(outcome.out);
        EXPECT_EQ(all.size(), 3U);
        EXPECT_EQ(all["spawned"], 0);
        EXPECT_EQ(all["mailed"], 0);
        if (body == "short") {
            EXPECT_LT(all["handed-off"], affinity_loops / 4);
            EXPECT_EQ(outcome.error_lines().size(), 1U) << outcome.err;  // the counts: the profile was taken
        } else if (bough::machine::cpu_count() > 1) {  // else the worker may come after each loop
            EXPECT_GT(all["handed-off"], 0);
        }
    }
    std::remove(profile.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(
        argc, argv,
        {{"counts", bough_test::child_counts},
         {"unspawned", child_unspawned},
         {"is_in_a_spell", child_is_in_a_spell},
         {"works_after_a_join", child_works_after_a_join},
         {"short_affinity", [] { return child_affinity(std::chrono::nanoseconds(0)); }},
         {"long_affinity", [] { return child_affinity(std::chrono::microseconds(1)); }}});
}
