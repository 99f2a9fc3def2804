// task_arena::constraints and info: which CPUs an arena's threads keep to, how many slots it has, what is refused.

#include "unit/api_support.h"
#include "unit/new_process.h"

#include <algorithm>
#include <sched.h>

#include <stdexcept>

namespace {

using bough::task_arena;
using bough_test::in_new_process;
using bough_test::may_use_cpus_0_and_1;
using constraints = task_arena::constraints;

std::vector<unsigned> cpus_here() {
    return bough::machine::affinity_cpus();
}

constraints on_node(int id) {
    return constraints{}.set_numa_id(id);
}

TEST(api_constraints, setters_can_be_chained) {
    constraints c;
    EXPECT_EQ(c.numa_id, task_arena::automatic);
    EXPECT_EQ(c.max_concurrency, task_arena::automatic);
    EXPECT_EQ(c.core_type, task_arena::automatic);
    EXPECT_EQ(c.max_threads_per_core, task_arena::automatic);
    constraints& same = c.set_numa_id(1).set_max_concurrency(2).set_core_type(3).set_max_threads_per_core(4);
    EXPECT_EQ(&same, &c);
    EXPECT_EQ(c.numa_id, 1);
    EXPECT_EQ(c.max_concurrency, 2);
    EXPECT_EQ(c.core_type, 3);
    EXPECT_EQ(c.max_threads_per_core, 4);
    const constraints by_parentheses(5, 6);
    EXPECT_EQ(by_parentheses.numa_id, 5);
    EXPECT_EQ(by_parentheses.max_concurrency, 6);
    EXPECT_EQ(by_parentheses.core_type, task_arena::automatic);
}

TEST(api_constraints, info_tells_what_the_topology_tells) {
    std::vector<int> nodes, kinds;
    for (const bough::numa_node& n : bough::numa_nodes()) {
        nodes.push_back(n.id);
        if (n.id != task_arena::automatic) {
            EXPECT_EQ(bough::info::default_concurrency(n.id),
                      std::min(static_cast<int>(bough::default_concurrency()),
                               static_cast<int>(bough::usable_cpus({n.id, {}, task_arena::automatic}))));
        }
    }
    for (const bough::core_kind& k : bough::core_kinds())
        kinds.push_back(k.id);
    EXPECT_EQ(bough::info::numa_nodes(), nodes);
    EXPECT_EQ(bough::info::core_types(), kinds);
    const int all = static_cast<int>(bough::default_concurrency());
    EXPECT_EQ(bough::info::default_concurrency(), all);
    EXPECT_EQ(bough::info::default_concurrency(constraints{}), all);
    EXPECT_EQ(bough::info::default_concurrency(constraints{}.set_max_concurrency(17)), 17);
    EXPECT_EQ(bough::info::default_concurrency(constraints{}.set_max_threads_per_core(1)),
              std::min(all, static_cast<int>(bough::usable_cpus({task_arena::automatic, {}, 1}))))
        << "never more than the process has threads for";
}

TEST(api_constraints, an_arena_has_the_slots_that_info_tells) {
    const std::vector<constraints> several{constraints{}, on_node(bough::info::numa_nodes().front()),
                                           constraints{}.set_core_type(bough::info::core_types().back()),
                                           constraints{}.set_max_threads_per_core(1),
                                           constraints{}.set_max_concurrency(3)};
    for (const constraints& c : several) {
        const int slots = bough::info::default_concurrency(c);
        task_arena arena(c, 1);
        EXPECT_EQ(arena.max_concurrency(), slots) << "before it is initialized";
        EXPECT_EQ(arena.execute([] { return bough::this_task_arena::max_concurrency(); }), slots);
        task_arena later(9);
        later.initialize(c);
        EXPECT_EQ(later.max_concurrency(), slots);
        EXPECT_EQ(task_arena(arena).max_concurrency(), slots);
    }
    task_arena impossible(constraints{}.set_max_concurrency(0));
    EXPECT_THROW(impossible.initialize(), std::invalid_argument);
}

TEST(api_constraints, an_arena_for_each_node) {
    const std::vector<int> nodes = bough::info::numa_nodes();
    std::vector<task_arena> arenas = bough::create_numa_task_arenas(constraints{}.set_max_concurrency(2), 1);
    ASSERT_EQ(arenas.size(), nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        EXPECT_EQ(arenas[i].max_concurrency(), 2);
        arenas[i].execute([&] {
            if (nodes[i] != task_arena::automatic) {
                EXPECT_EQ(cpus_here(), bough::cpus_of({nodes[i], {}, task_arena::automatic}));
            }
        });
    }
    for (task_arena& arena : bough::create_numa_task_arenas())
        arena.execute([] { bough::parallel_for(0, 100, [](int) {}); });
}

TEST(api_task_arena, attached_ones_share_the_arena_of_the_thread) {
    std::unique_ptr<task_arena> shared;
    {
        task_arena arena(5, 2, task_arena::priority::high);
        arena.execute([&] {
            shared = std::make_unique<task_arena>(task_arena::attach{});
            task_arena later(4);
            later.initialize(task_arena::attach{});
            EXPECT_EQ(later.native(), arena.native());
        });
        EXPECT_TRUE(shared->is_active());
        EXPECT_EQ(shared->native(), arena.native());
        EXPECT_EQ(task_arena(*shared).max_concurrency(), 5) << "settings are not copied";
    }
    EXPECT_EQ(shared->execute([] { return bough::this_task_arena::max_concurrency(); }), 5);
    std::thread([] {  // outside of all
        EXPECT_FALSE(task_arena(task_arena::attach{}).is_active());
        task_arena of_its_own(2);
        of_its_own.initialize(task_arena::attach{});
        EXPECT_TRUE(of_its_own.is_active());
        EXPECT_EQ(of_its_own.max_concurrency(), 2);
    })
        .join();
}

TEST(api_constraints_death_test, threads_inside_keep_to_the_node) {
    if (!may_use_cpus_0_and_1())
        GTEST_SKIP() << "needs exactly CPUs 0 and 1";
    for (const unsigned cpu : {0U, 1U})
        in_new_process([cpu] {
            setenv("HWLOC_SYNTHETIC", "numa:2 core:1 pu:1", 1);
            const std::vector<unsigned> all{0, 1}, its{cpu};
            task_arena arena(on_node(static_cast<int>(cpu)));
            task_arena copy(arena), later;
            later.initialize(on_node(static_cast<int>(cpu)));
            bool good = arena.max_concurrency() == 1;
            for (task_arena* a : {&arena, &copy, &later}) {
                good = good && a->execute([&] { return cpus_here() == its; }) && cpus_here() == all;
                std::atomic<bool> workers_too{false};
                bough::task_group group;
                a->enqueue([&] { workers_too = cpus_here() == its; }, group);
                group.wait();
                good = good && workers_too;
            }
            std::vector<task_arena> of_nodes = bough::create_numa_task_arenas();
            good = good && of_nodes.size() == 2 && of_nodes[cpu].execute([&] { return cpus_here() == its; });
            return good && task_arena(2).execute([&] { return cpus_here() == all; });
        });
}

TEST(api_constraints_death_test, one_thread_of_each_core) {
    if (!may_use_cpus_0_and_1())
        GTEST_SKIP() << "needs exactly CPUs 0 and 1";
    in_new_process([] {
        setenv("HWLOC_SYNTHETIC", "numa:1 core:1 pu:2", 1);
        task_arena arena(constraints{}.set_max_threads_per_core(1));
        return arena.max_concurrency() == 1 && arena.execute([] { return cpus_here().size(); }) == 1;
    });
}

// A program that runs on one machine should not end on the next.
TEST(api_constraints_death_test, what_the_machine_cannot_meet_counts_as_not_given) {
    const auto all = static_cast<int>(bough::default_concurrency());
    const auto is_free = [all](const constraints& c) {
        task_arena arena(c);
        return arena.max_concurrency() == all && bough::info::default_concurrency(c) == all &&
               arena.execute([] { return cpus_here(); }) == cpus_here();
    };
    in_new_process([&] { return is_free(on_node(1000)); }, "numa_id is 1000; allowed are -1 and what");
    in_new_process([&] { return is_free(constraints{}.set_core_type(77)); }, "core_type is 77; allowed");
    in_new_process([&] { return is_free(constraints{}.set_max_threads_per_core(0)); },
                   "max_threads_per_core is 0; allowed");
    in_new_process([&] { return bough::info::default_concurrency(-2) == all; }, "numa_id is -2");
}

}  // namespace
