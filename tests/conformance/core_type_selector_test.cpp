// The core type selector of tbb::task_arena and tbb::info (preview). What it is called for depends on the machine;
// with fewer than two core types it is not called at all.
#include "support.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

#include <tuple>

namespace {

TEST(core_type_selector, an_arena_of_the_selected_types_works) {
    const std::size_t types = tbb::info::core_types().size();
    std::size_t calls = 0;
    const auto selector = [&](const std::tuple<tbb::core_type_id, std::size_t, std::size_t>& t) {
        EXPECT_EQ(std::get<1>(t), calls++);
        EXPECT_EQ(std::get<2>(t), types);
        return 1;
    };
    const auto selectable = tbb::task_arena::constraints{}.set_core_type(tbb::task_arena::selectable);
    tbb::task_arena arena(selectable, selector);
    EXPECT_EQ(calls, types < 2 ? 0 : types);
    std::atomic<int> count{0};
    arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); });
    EXPECT_EQ(count, 100);
    EXPECT_GE(arena.max_concurrency(), 1);

    calls = 0;
    tbb::task_arena later;
    later.initialize(selectable, selector);
    later.execute([&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); });
    EXPECT_EQ(count, 200);

    calls = 0;
    EXPECT_EQ(tbb::info::default_concurrency(selectable, selector), tbb::info::default_concurrency());
}

TEST(core_type_selector, is_not_called_where_the_type_is_given) {
    const auto never = [](const std::tuple<tbb::core_type_id, std::size_t, std::size_t>&) {
        ADD_FAILURE();
        return 1;
    };
    tbb::task_arena arena(tbb::task_arena::constraints{}.set_max_concurrency(3), never);
    EXPECT_EQ(arena.execute([] { return tbb::this_task_arena::max_concurrency(); }), 3);
}

}  // namespace
