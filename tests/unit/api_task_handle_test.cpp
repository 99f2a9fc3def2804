// Deferred tasks: what a group's wait counts, what becomes of a handle, run, enqueue into an arena.

#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

#include <stdexcept>
#include <type_traits>

namespace {

using bough::task_arena;
using bough::task_group;
using bough::task_handle;
using bough_test::boom;
using bough_test::visits;

static_assert(!std::is_copy_constructible_v<task_handle> && !std::is_copy_assignable_v<task_handle>);
static_assert(std::is_nothrow_move_constructible_v<task_handle> &&
              std::is_nothrow_move_assignable_v<task_handle>);

// Tells whether it was called, and whether it lives; can only be moved.
class probe {
public:
    struct seen {
        std::atomic<int> alive{0}, calls{0};
    };
    explicit probe(seen& s) : seen_(&s) { ++s.alive; }
    probe(probe&& other) noexcept : seen_(other.seen_) { ++seen_->alive; }
    ~probe() { --seen_->alive; }
    void operator()() const { ++seen_->calls; }

private:
    seen* seen_;
};

// In another thread: what `look` sees when the wait for the group has returned.
template <class Look>
class waiter {
public:
    waiter(task_group& group, Look look)
        : thread_([this, &group, look] {
              status_ = group.wait();
              saw_ = look();
          }) {}
    bough::task_group_status status() {
        thread_.join();
        return status_;
    }
    auto saw() const { return saw_; }

private:
    bough::task_group_status status_{};
    decltype(std::declval<Look>()()) saw_{};
    std::thread thread_;
};

// Long enough for a wait that should not return to do so: a test that it does not is no matter of time.
void let_others_run() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

template <class Call>
std::string refusal(Call call) {
    try {
        call();
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "nothing was thrown";
}

TEST(api_task_handle, is_empty_until_it_has_a_task_and_after_it_was_run) {
    task_group group;
    task_handle none;
    EXPECT_FALSE(none);
    EXPECT_TRUE(none == nullptr && nullptr == none);
    EXPECT_FALSE(none != nullptr || nullptr != none);
    probe::seen seen;
    task_handle one = group.defer(probe(seen));
    EXPECT_TRUE(one);
    EXPECT_TRUE(one != nullptr && nullptr != one);
    EXPECT_FALSE(one == nullptr || nullptr == one);
    task_handle other(std::move(one));
    EXPECT_FALSE(one);
    EXPECT_EQ(seen.calls.load(), 0);
    group.run(std::move(other));
    EXPECT_FALSE(other);
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_EQ(seen.calls.load(), 1);
    EXPECT_EQ(seen.alive.load(), 0);
}

TEST(api_task_handle, each_task_runs_once) {
    constexpr std::size_t n = 2000;
    visits seen(n);
    task_group group;
    std::vector<task_handle> handles;
    for (std::size_t i = 0; i < n; ++i)
        handles.push_back(group.defer([&seen, i] { seen.hit(i); }));
    EXPECT_EQ(seen.total(), 0u);
    bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) { group.run(std::move(handles[i])); });
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_TRUE(seen.each_once());
}

TEST(api_task_handle, wait_waits_for_a_task_that_is_run_later) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the main thread joins one that waits for a task of its");
    task_group group;
    std::atomic<bool> ran{false};
    task_handle later = group.defer([&] { ran = true; });
    waiter w(group, [&] { return ran.load(); });
    let_others_run();
    group.run(std::move(later));
    EXPECT_EQ(w.status(), bough::complete);
    EXPECT_TRUE(w.saw()) << "wait returned before the deferred task had run";
}

TEST(api_task_handle, wait_ends_when_the_last_handle_is_destroyed) {
    task_group group;
    std::atomic<bool> gone{false}, ran{false};
    std::shared_ptr<void> slow_to_end(&gone, [&](void*) {
        let_others_run();
        gone = true;
    });
    auto later =
        std::make_unique<task_handle>(group.defer([&ran, slow = std::move(slow_to_end)] { ran = true; }));
    waiter w(group, [&] { return gone.load(); });
    let_others_run();
    later.reset();
    EXPECT_EQ(w.status(), bough::complete);
    EXPECT_TRUE(w.saw()) << "wait returned before the function was destroyed";
    EXPECT_FALSE(ran);
}

TEST(api_task_handle, a_handle_that_gets_another_task_gives_its_own_up) {
    task_group group;
    probe::seen first, second;
    task_handle h = group.defer(probe(first));
    h = group.defer(probe(second));
    EXPECT_EQ(first.alive.load(), 0);
    EXPECT_EQ(second.alive.load(), 1);
    h = task_handle();
    EXPECT_EQ(second.alive.load(), 0);
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_EQ(first.calls + second.calls, 0);
}

TEST(api_task_handle, a_group_destroyed_by_an_exception_waits_for_handles_elsewhere) {
    probe::seen seen;
    std::atomic<bool> gone{false};
    std::thread holder;
    EXPECT_THROW(
        {
            task_group group;
            holder = std::thread([h = group.defer(probe(seen)), &gone]() mutable {
                let_others_run();
                gone = true;
                h = {};
            });
            throw boom{1};
        },
        boom);
    EXPECT_TRUE(gone) << "the group was destroyed while a handle of it had a task";
    holder.join();
}

TEST(api_task_handle, run_and_wait_runs_it_and_waits_for_all) {
    for (int round = 0; round < 100; ++round) {
        visits seen(5);
        task_group group;
        for (std::size_t i = 0; i < 4; ++i)
            group.run([&seen, i] {
                bough_test::work_a_little(300);
                seen.hit(i);
            });
        ASSERT_EQ(group.run_and_wait(group.defer([&] { seen.hit(4); })), bough::complete);
        ASSERT_TRUE(seen.each_once());
    }
}

TEST(api_task_handle, what_the_task_throws_comes_out_of_wait) {
    task_group group;
    EXPECT_THROW(group.run_and_wait(group.defer([] { throw boom{1}; })), boom);
    group.run(group.defer([] { throw boom{2}; }));
    EXPECT_THROW(group.wait(), boom);
    task_handle never = group.defer([] { throw boom{3}; });
    never = {};
    EXPECT_EQ(group.wait(), bough::complete);
}

TEST(api_task_handle, a_task_that_is_run_after_a_cancel_is_only_destroyed) {
    task_group group;
    task_arena arena(2);
    probe::seen seen;
    task_handle run = group.defer(probe(seen)), enqueued = group.defer(probe(seen));
    group.cancel();
    group.run(std::move(run));
    arena.enqueue(std::move(enqueued));
    EXPECT_EQ(group.wait(), bough::canceled);
    EXPECT_EQ(seen.alive.load(), 0);
    EXPECT_EQ(seen.calls.load(), 0);
}

TEST(api_task_handle, the_task_may_destroy_the_handle_that_it_was_run_by) {
    struct owner {
        task_handle h;
    };
    for (int round = 0; round < 200; ++round) {
        task_group group;
        auto* const o = new owner;
        o->h = group.defer([o] { delete o; });
        if (round % 2 == 0)
            group.run(std::move(o->h));
        else
            bough::this_task_arena::enqueue(std::move(o->h));
        ASSERT_EQ(group.wait(), bough::complete);
    }
}

TEST(api_task_handle, empty_ones_and_those_of_another_group_are_refused) {
    task_group group, other;
    task_arena arena(2);
    const std::string allowed =
        "; allowed is one that defer() has returned, once, in its own group or in any arena";
    task_handle none;
    EXPECT_EQ(refusal([&] { group.run(std::move(none)); }),
              "bough::task_group::run: the task_handle is empty" + allowed);
    EXPECT_EQ(refusal([&] { group.run_and_wait(std::move(none)); }),
              "bough::task_group::run: the task_handle is empty" + allowed);
    EXPECT_EQ(refusal([&] { arena.enqueue(std::move(none)); }),
              "bough::task_arena::enqueue: the task_handle is empty" + allowed);
    EXPECT_EQ(refusal([&] { bough::this_task_arena::enqueue(std::move(none)); }),
              "bough::this_task_arena::enqueue: the task_handle is empty" + allowed);
    probe::seen seen;
    task_handle others = other.defer(probe(seen));
    EXPECT_EQ(refusal([&] { group.run(std::move(others)); }),
              "bough::task_group::run: the task_handle is of another group" + allowed);
    ASSERT_TRUE(others) << "a refused handle lost its task";
    other.run(std::move(others));
    EXPECT_EQ(other.wait(), bough::complete);
    EXPECT_EQ(seen.calls.load(), 1);
    EXPECT_EQ(group.wait(), bough::complete);
}

TEST(api_task_handle, a_handle_that_an_arena_could_not_take_keeps_its_task) {
    task_group group;
    task_arena impossible(0);
    task_handle h = group.defer([] {});
    EXPECT_THROW(impossible.enqueue(std::move(h)), std::invalid_argument);
    EXPECT_TRUE(h);
    h = {};
    EXPECT_EQ(group.wait(), bough::complete);
}

TEST(api_task_handle, an_enqueued_one_runs_in_that_arena_and_counts_in_its_group) {
    task_arena arena(7);
    for (int round = 0; round < 50; ++round) {
        task_group group;
        std::atomic<int> slots{0};
        arena.enqueue(group.defer([&] { slots = bough::this_task_arena::max_concurrency(); }));
        ASSERT_EQ(group.wait(), bough::complete);
        ASSERT_EQ(slots.load(), 7) << "wait returned too early, or the task ran elsewhere";
        arena.enqueue([&] { slots = 10 + bough::this_task_arena::max_concurrency(); }, group);
        ASSERT_EQ(arena.wait_for(group), bough::complete);
        ASSERT_EQ(slots.load(), 17);
    }
}

TEST(api_task_handle, what_an_enqueued_one_throws_comes_out_of_its_groups_wait) {
    task_arena arena(2);
    task_group group;
    arena.enqueue(group.defer([] { throw boom{1}; }));
    EXPECT_THROW(group.wait(), boom);
    arena.enqueue([] { throw boom{2}; }, group);
    EXPECT_THROW(arena.wait_for(group), boom);
    EXPECT_EQ(group.wait(), bough::complete);
}

TEST(api_task_handle, wait_for_waits_inside_the_arena) {
    task_arena arena(1, 1);  // whose slot no worker takes for what is spawned there
    task_group group;
    const auto me = std::this_thread::get_id();
    std::atomic<bool> mine{false};
    arena.execute([&] { group.run([&] { mine = std::this_thread::get_id() == me; }); });
    EXPECT_EQ(arena.wait_for(group), bough::complete);
    EXPECT_TRUE(mine);
}

TEST(api_task_group, is_current_task_group_canceling_tells_of_the_innermost_and_those_around_it) {
    const auto is_canceling = [] { return bough::is_current_task_group_canceling(); };
    EXPECT_FALSE(is_canceling());
    bool before = true, after = false, in_loop = false;
    task_group group;
    EXPECT_EQ(group.run_and_wait([&] {
        before = is_canceling();
        bough::parallel_for(0, 1, [&](int) {
            group.cancel();
            in_loop = is_canceling();
        });
        after = is_canceling();
    }),
              bough::canceled);
    EXPECT_FALSE(before);
    EXPECT_TRUE(in_loop);
    EXPECT_TRUE(after);
    EXPECT_FALSE(is_canceling());
    EXPECT_EQ(group.run_and_wait([&] { after = is_canceling(); }), bough::complete);
    EXPECT_FALSE(after);
}

TEST(api_task_handle, this_task_arena_enqueues_where_the_thread_is) {
    task_arena arena(5);
    task_group group;
    std::atomic<int> right{0};
    const auto in_five = [&] { right += bough::this_task_arena::max_concurrency() == 5 ? 1 : 0; };
    std::atomic<bool> plain_ran{false};
    arena.execute([&] {
        bough::this_task_arena::enqueue(group.defer(in_five));
        bough::this_task_arena::enqueue(in_five, group);
        bough::this_task_arena::enqueue([&] {
            in_five();
            plain_ran = true;
        });
        group.wait();
    });
    EXPECT_TRUE(bough_test::comes_true([&] { return plain_ran.load(); }));
    EXPECT_EQ(right.load(), 3);
    std::thread([&] {  // in none: takes its own
        std::atomic<bool> ran{false};
        bough::this_task_arena::enqueue([&] { ran = true; }, group);
        group.wait();
        EXPECT_TRUE(ran);
    })
        .join();
}

}  // namespace
