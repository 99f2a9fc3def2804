// A task in several mailboxes, and in a queue.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <thread>
#include <vector>

#include <bough/bough.h>

#include "unit/blocking_bodies.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

struct counted_task : task {
    counted_task() {
        run = [](task& t, bool) { static_cast<counted_task&>(t).runs.fetch_add(1); };
    }
    std::atomic<int> runs{0};
};

TEST(mail_to_several, runs_once_whoever_meets_it_first) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("tasks that hold workers wait for their spawner");
    const global_control limit(global_control::max_allowed_parallelism, 4);
    task_arena arena(4);
    arena.execute([] {
        constexpr std::array<std::uint16_t, 6> slots{1, 2, 3,
                                                     0, 2, 77};  // itself, one twice, one that there is not
        for (std::size_t receivers = 0; receivers <= slots.size(); ++receivers) {
            for (int round = 0; round < 20; ++round) {
                // Mail goes to slots in which somebody sits.
                task_group sitting;
                std::atomic<int> sitters{0};
                std::atomic<bool> go{false};
                for (int i = 0; i < 3; ++i) {
                    sitting.run([&] {
                        ++sitters;
                        while (!go)
                            std::this_thread::yield();
                    });
                }
                while (sitters != 3)
                    std::this_thread::yield();
                std::vector<counted_task> tasks(50);
                detail::task_group_state group;
                const detail::bound_node bound(group.node, nullptr, this_slot().scope);
                for (counted_task& t : tasks) {
                    t.group = &group;
                    spawn_mailed(this_slot(), t, std::span(slots).first(receivers));
                }
                go = true;
                // Not by the spawner, while there are others.
                for (const counted_task& t : tasks)
                    while (t.runs == 0)
                        std::this_thread::yield();
                detail::wait(group);
                for (const counted_task& t : tasks)
                    ASSERT_EQ(t.runs, 1);
                sitting.wait();
                // What was run by mail is still in the queue, and one with a fixed end would run a sitter here when it
                // is full.
                while (run_own_task(this_slot())) {
                }
            }
        }
    });
}

TEST(mail_to_several, the_only_thread_finds_them_in_its_queue) {
    task_arena arena(1);
    arena.execute([] {
        counted_task t;
        detail::task_group_state group;
        const detail::bound_node bound(group.node, nullptr, this_slot().scope);
        t.group = &group;
        constexpr std::array<std::uint16_t, 2> nobody{1, 2};
        spawn_mailed(this_slot(), t, nobody);
        detail::wait(group);
        EXPECT_EQ(t.runs, 1);
    });
}

}  // namespace
}  // namespace bough
