// tbb::task_scheduler_handle and tbb::finalize: waiting for the workers' end, refusals, and starting anew.
#include "support.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>

#include <new>
#include <type_traits>

using namespace conformance;
using tbb::task_scheduler_handle;

static_assert(!std::is_copy_constructible_v<task_scheduler_handle> &&
              !std::is_copy_assignable_v<task_scheduler_handle>);
static_assert(std::is_nothrow_move_constructible_v<task_scheduler_handle> &&
              std::is_nothrow_move_assignable_v<task_scheduler_handle>);
static_assert(std::is_base_of_v<std::runtime_error, tbb::unsafe_wait>);

namespace {

void work() {
    std::atomic<int> count{0};
    tbb::parallel_for(0, 200, [&](int) { ++count; });
    EXPECT_EQ(count, 200);
}

// Workers of earlier tests may still be on their way out of their arenas, for which finalize may refuse.
void finalize_at_last() {
    for (bool done = false; !done; std::this_thread::yield()) {
        task_scheduler_handle handle{tbb::attach{}};
        done = tbb::finalize(handle, std::nothrow);
        EXPECT_FALSE(handle) << "empty also when it has failed";
    }
}

TEST(task_scheduler_handle, empty_attached_moved_released) {
    task_scheduler_handle empty;
    EXPECT_FALSE(empty);
    empty.release();
    EXPECT_TRUE(tbb::finalize(empty, std::nothrow));
    EXPECT_NO_THROW(tbb::finalize(empty));
    task_scheduler_handle handle{tbb::attach{}};
    EXPECT_TRUE(handle);
    task_scheduler_handle moved(std::move(handle));
    EXPECT_TRUE(moved);
    EXPECT_FALSE(handle);
    empty = std::move(moved);
    EXPECT_TRUE(empty);
    EXPECT_FALSE(moved);
    empty.release();
    EXPECT_FALSE(empty);
    empty.release();
    work();
}

TEST(task_scheduler_handle, finalize_waits_and_the_scheduler_starts_anew) {
    for (int round = 0; round < 5; ++round) {
        work();
        finalize_at_last();
    }
    work();
    // After a success nothing is left, so this one cannot be refused.
    finalize_at_last();
    task_scheduler_handle handle{tbb::attach{}};
    work();
    EXPECT_NO_THROW(tbb::finalize(handle));
    EXPECT_FALSE(handle);
    work();
}

TEST(task_scheduler_handle, refused_while_another_handle_is_held) {
    finalize_at_last();
    task_scheduler_handle first{tbb::attach{}}, second{tbb::attach{}};
    work();
    EXPECT_FALSE(tbb::finalize(first, std::nothrow));
    EXPECT_FALSE(first);
    EXPECT_TRUE(tbb::finalize(second, std::nothrow)) << "the last one succeeds";
}

TEST(task_scheduler_handle, a_released_handle_is_in_nobodys_way) {
    finalize_at_last();
    task_scheduler_handle first{tbb::attach{}}, second{tbb::attach{}};
    work();
    second.release();
    EXPECT_TRUE(tbb::finalize(first, std::nothrow));
}

TEST(task_scheduler_handle, refused_inside_a_task) {
    for_widths([] {
        task_scheduler_handle handle{tbb::attach{}};
        std::atomic<int> refused{0};
        tbb::parallel_for(0, 1, [&](int) {
            refused += !tbb::finalize(handle, std::nothrow);
            EXPECT_FALSE(handle);
        });
        EXPECT_EQ(refused, 1);
        work();
        task_scheduler_handle throwing{tbb::attach{}};
        EXPECT_THROW(tbb::parallel_for(0, 1, [&](int) { tbb::finalize(throwing); }), tbb::unsafe_wait);
        EXPECT_FALSE(throwing);
        work();
    });
}

TEST(task_scheduler_handle, refused_with_work_left) {
    task_scheduler_handle handle{tbb::attach{}};
    std::atomic<bool> started{false}, go{false}, over{false};
    tbb::task_arena arena(2, 0);
    arena.enqueue([&] {
        started = true;
        spin_until([&] { return go.load(); });
        over = true;
    });
    spin_until([&] { return started.load(); });
    EXPECT_FALSE(tbb::finalize(handle, std::nothrow));
    go = true;
    spin_until([&] { return over.load(); });
}

TEST(task_scheduler_handle, unsafe_wait_says_what_it_is) {
    task_scheduler_handle first{tbb::attach{}}, second{tbb::attach{}};
    work();  // before anything has run oneTBB finds nothing to refuse
    try {
        tbb::finalize(first);
        ADD_FAILURE();
    } catch (const tbb::unsafe_wait& e) {
        EXPECT_NE(std::string(e.what()), "");
    }
    EXPECT_FALSE(first);
}

TEST(task_scheduler_handle, from_other_threads) {
    finalize_at_last();  // oneTBB refuses as long as another thread that has used it lives
    std::thread([] {
        work();
        finalize_at_last();
        work();
    }).join();
    work();
}

TEST(task_scheduler_handle, with_a_limit_on_threads) {
    for (int allowed : {1, 2, 8}) {
        tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::size_t(allowed));
        work();
        finalize_at_last();
        EXPECT_EQ(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism),
                  std::size_t(allowed))
            << "the control outlives the scheduler";
    }
}

}  // namespace
