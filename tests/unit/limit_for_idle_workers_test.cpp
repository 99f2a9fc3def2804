// A limit that has just come holds for idle workers that have not seen it yet. What they steal they may still run: one
// may have been about to.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <utility>

#include "unit/api_support.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

bool someone_else_has_mail(slot& s) {
    for (unsigned i = 0; i < s.home.used_slots(); ++i)
        if (i != s.index && s.home.slot_at(i)->mail.has_mail())
            return true;
    return false;
}

TEST(limit_for_idle_workers, they_are_handed_nothing_and_get_no_mail) {
    task_arena arena(bough_test::allowed_threads());
    arena.execute([] {
        slot& s = this_slot();
        for (bough_test::budget budget(500, 2000); budget.next();) {
            ASSERT_TRUE(bough_test::pool_is_usable());  // who has been there is idle now
            const global_control limit(global_control::max_allowed_parallelism, 1);
            const std::uint32_t handed = s.handed_count;
            std::array<task, 20> tasks;
            detail::task_group_state group;
            const detail::bound_node bound(group.node, nullptr, s.scope);
            const tree_here before = std::exchange(s.tree, {.tasks_go = spawning::to_idle_workers});
            for (std::size_t i = 0; i < tasks.size(); ++i) {
                tasks[i].group = &group;
                tasks[i].run = [](task&, bool) {};
                const auto preferred = static_cast<std::uint16_t>(1 + i % 3);
                if (i % 2 == 0)
                    detail::spawn(tasks[i]);
                else
                    spawn_mailed(s, tasks[i], {&preferred, 1});
                ASSERT_FALSE(someone_else_has_mail(s)) << "in round " << budget.done();
            }
            s.tree = before;
            detail::wait(group);
            ASSERT_EQ(s.handed_count, handed) << "in round " << budget.done();
        }
    });
}

}  // namespace
}  // namespace bough
