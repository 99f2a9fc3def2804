// The explorer itself: litmus tests, whose outcomes are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

#include "model/atomics.h"

namespace bough::model {
namespace {

using std::memory_order;
constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
               release = std::memory_order_release, seq_cst = std::memory_order_seq_cst;
using outcome = std::pair<int, int>;

struct two_variables {
    atomic<int> x{0}, y{0};
    int first = -1, second = -1;
};

// What the two threads read.
template <class A, class B>
std::set<outcome> outcomes(A&& a, B&& b) {
    std::set<outcome> seen;
    const result r = explore([&](run& execution) {
        auto s = std::make_shared<two_variables>();
        execution.thread([s, &a] { a(*s); });
        execution.thread([s, &b] { b(*s); });
        execution.finally([s, &seen] { seen.insert({s->first, s->second}); });
    });
    EXPECT_TRUE(r.is_complete) << r.failure;
    return seen;
}

std::set<outcome> store_buffering(memory_order store, memory_order load) {
    return outcomes(
        [=](two_variables& s) {
            s.x.store(1, store);
            s.first = s.y.load(load);
        },
        [=](two_variables& s) {
            s.y.store(1, store);
            s.second = s.x.load(load);
        });
}

TEST(explorer, store_buffering_needs_seq_cst) {
    const std::set<outcome> strong{{0, 1}, {1, 0}, {1, 1}}, weak{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    EXPECT_EQ(store_buffering(seq_cst, seq_cst), strong);
    EXPECT_EQ(store_buffering(release, acquire), weak);
    EXPECT_EQ(store_buffering(release, seq_cst), weak);
}

TEST(explorer, store_buffering_with_fences) {
    const auto side = [](atomic<int>& mine, atomic<int>& other) {
        mine.store(1, relaxed);
        atomics::full_fence();
        return other.load(relaxed);
    };
    const auto seen = outcomes([&](two_variables& s) { s.first = side(s.x, s.y); },
                               [&](two_variables& s) { s.second = side(s.y, s.x); });
    EXPECT_EQ(seen, (std::set<outcome>{{0, 1}, {1, 0}, {1, 1}}));
}

enum class fence { none, light, heavy };

std::set<outcome> store_buffering_with(fence first, fence second) {
    const auto side = [](atomic<int>& mine, atomic<int>& other, fence f) {
        mine.store(1, relaxed);
        if (f == fence::light)
            atomics::light_fence();
        if (f == fence::heavy)
            atomics::heavy_fence();
        return other.load(relaxed);
    };
    return outcomes([=](two_variables& s) { s.first = side(s.x, s.y, first); },
                    [=](two_variables& s) { s.second = side(s.y, s.x, second); });
}

TEST(explorer, store_buffering_needs_a_heavy_fence_on_one_side_and_a_light_one_on_the_other) {
    const std::set<outcome> strong{{0, 1}, {1, 0}, {1, 1}}, weak{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    EXPECT_EQ(store_buffering_with(fence::light, fence::heavy), strong);
    EXPECT_EQ(store_buffering_with(fence::heavy, fence::light), strong);
    EXPECT_EQ(store_buffering_with(fence::heavy, fence::heavy), strong);
    EXPECT_EQ(store_buffering_with(fence::light, fence::light), weak);
    EXPECT_EQ(store_buffering_with(fence::none, fence::heavy), weak) << "the compiler may exchange the two";
}

std::set<outcome> message_passing(memory_order store, memory_order load) {
    return outcomes(
        [=](two_variables& s) {
            s.x.store(1, relaxed);
            s.y.store(1, store);
        },
        [=](two_variables& s) {
            s.first = s.y.load(load);
            s.second = s.x.load(relaxed);
        });
}

TEST(explorer, message_passing_needs_release_and_acquire) {
    const std::set<outcome> strong{{0, 0}, {0, 1}, {1, 1}}, weak{{0, 0}, {0, 1}, {1, 0}, {1, 1}};
    EXPECT_EQ(message_passing(release, acquire), strong);
    EXPECT_EQ(message_passing(relaxed, acquire), weak);
    EXPECT_EQ(message_passing(release, relaxed), weak);
}

TEST(explorer, a_modification_goes_on_with_a_release_sequence) {
    const result r = explore([](run& execution) {
        auto s = std::make_shared<two_variables>();
        execution.thread([s] {
            s->x.store(1, relaxed);
            s->y.store(1, release);
        });
        execution.thread([s] { s->y.fetch_add(1, relaxed); });
        execution.thread([s] {
            if (s->y.load(acquire) == 2)
                check(s->x.load(relaxed) == 1, "stale");
        });
    });
    // y is 2 only if the addition came after the store.
    EXPECT_TRUE(r.is_complete) << r.failure;
}

TEST(explorer, a_thread_never_goes_back) {
    const auto seen = outcomes([](two_variables& s) { s.x.store(1, relaxed); },
                               [](two_variables& s) {
                                   s.first = s.x.load(relaxed);
                                   s.second = s.x.load(relaxed);
                               });
    EXPECT_EQ(seen, (std::set<outcome>{{0, 0}, {0, 1}, {1, 1}}));
}

// Independent reads of independent writes.
bool may_disagree(memory_order store, memory_order load) {
    bool disagreed = false;
    const result r = explore([&](run& execution) {
        auto s = std::make_shared<two_variables>();
        auto seen = std::make_shared<std::array<int, 4>>();
        execution.thread([=] { s->x.store(1, store); });
        execution.thread([=] { s->y.store(1, store); });
        execution.thread([=] { *seen = {s->x.load(load), s->y.load(load), (*seen)[2], (*seen)[3]}; });
        execution.thread([=] {
            (*seen)[2] = s->y.load(load);
            (*seen)[3] = s->x.load(load);
        });
        execution.finally(
            [=, &disagreed] { disagreed = disagreed || *seen == std::array<int, 4>{1, 0, 1, 0}; });
    });
    EXPECT_TRUE(r.is_complete) << r.failure;
    return disagreed;
}

TEST(explorer, readers_agree_on_the_order_of_seq_cst_stores_only) {
    EXPECT_FALSE(may_disagree(seq_cst, seq_cst));
    EXPECT_TRUE(may_disagree(release, acquire));
}

TEST(explorer, additions_are_not_lost) {
    const result r = explore([](run& execution) {
        auto x = std::make_shared<atomic<int>>(0);
        for (int i = 0; i < 3; ++i)
            execution.thread([x] { x->fetch_add(1, relaxed); });
        execution.finally([x] { check(x->load(relaxed) == 3, "lost"); });
    });
    EXPECT_TRUE(r.is_complete) << r.failure;
}

// A failure says how it came about, and comes about again.
TEST(explorer, a_failure_can_be_replayed) {
    const program lost = [](run& execution) {
        auto x = std::make_shared<atomic<int>>(0);
        for (int i = 0; i < 2; ++i)
            execution.thread([x] { x->store(x->load(relaxed) + 1, relaxed); });
        execution.finally([x] { check(x->load(relaxed) == 2, "an addition was lost"); });
    };
    const result r = explore(lost);
    EXPECT_EQ(r.failure, "an addition was lost");
    EXPECT_EQ(r.trace.size(), 6u);  // four accesses, the last load, the failure
    EXPECT_EQ(replay(lost, r.schedule).trace, r.trace);
    const result random = explore(lost, {.executions = 1000, .seed = 1});
    EXPECT_EQ(random.failure, r.failure);
}

TEST(explorer, what_has_no_end_is_a_failure) {
    const result r = explore([](run& execution) {
        auto x = std::make_shared<atomic<int>>(0);
        execution.thread([x] {
            while (x->load(relaxed) == 0) {
            }
        });
    });
    EXPECT_EQ(r.failure, "no end in sight");
}

TEST(explorer, a_race_of_plain_accesses_is_a_failure) {
    const auto program = [](memory_order store) {
        return [store](run& execution) {
            struct state {
                plain<int> value{0};
                atomic<int> ready{0};
            };
            auto s = std::make_shared<state>();
            execution.thread([s, store] {
                s->value.set(1);
                s->ready.store(1, store);
            });
            execution.thread([s] {
                if (s->ready.load(acquire))
                    check(s->value.get() == 1, "stale");
            });
        };
    };
    EXPECT_TRUE(explore(program(release)).is_complete);
    EXPECT_NE(explore(program(relaxed)).failure, "");
}

// A handler runs between any two accesses of its thread, or never.
// A thread that has read the variable itself has not seen that others have.
TEST(explorer, a_write_races_with_a_read_that_came_before_another) {
    const result r = explore([](run& execution) {
        struct state {
            plain<int> value{0};
            atomic<int> done{0};
        };
        auto s = std::make_shared<state>();
        execution.thread([s] {
            s->value.get();
            s->done.store(1, relaxed);
        });
        execution.thread([s] {
            while (s->done.load(relaxed) == 0)
                atomics::pause();
            s->value.get();
            s->value.set(1);
        });
    });
    EXPECT_EQ(r.failure, "a write that is not atomic races with another access");
}

// ---- waiting ----

// Of two threads that wait for each other's sign the second comes too late when the sign is given before the wait.
bool may_sleep_for_ever(bool looks_again) {
    const result r = explore([=](run& execution) {
        auto word = std::make_shared<atomic<int>>(0);
        execution.thread([=] {
            if (!looks_again || word->load(seq_cst) == 0)
                atomics::futex_wait(*word, looks_again ? 0 : word->load(relaxed));
        });
        execution.thread([=] {
            word->store(1, seq_cst);
            atomics::futex_wake(word.get(), 1);
        });
    });
    return r.failure == "all threads wait for each other";
}

TEST(explorer, a_lost_wake_up_is_a_failure) {
    EXPECT_TRUE(may_sleep_for_ever(false));
    EXPECT_FALSE(may_sleep_for_ever(true));
}

TEST(explorer, a_mutex_is_held_by_one) {
    int most = 0;
    const result r = explore([&](run& execution) {
        struct state {
            mutex guard;
            plain<int> inside{0};
        };
        auto s = std::make_shared<state>();
        for (int i = 0; i < 2; ++i)
            execution.thread([s, &most] {
                s->guard.lock();
                s->inside.set(s->inside.get() + 1);
                most = std::max(most, s->inside.get());
                s->inside.set(s->inside.get() - 1);
                s->guard.unlock();
            });
    });
    EXPECT_TRUE(r.is_complete) << r.failure;
    EXPECT_EQ(most, 1);
}

TEST(explorer, two_locks_in_two_orders_are_a_failure) {
    const result r = explore([](run& execution) {
        auto locks = std::make_shared<std::array<mutex, 2>>();
        for (std::size_t i = 0; i < 2; ++i)
            execution.thread([=] {
                (*locks)[i].lock();
                (*locks)[1 - i].lock();
                (*locks)[1 - i].unlock();
                (*locks)[i].unlock();
            });
    });
    EXPECT_EQ(r.failure, "all threads wait for each other");
}

TEST(explorer, a_use_after_the_end_is_a_failure) {
    const auto ends = [](memory_order done) {
        return explore([=](run& execution) {
                   struct state {
                       alignas(mortal_atomic<int>) std::byte room[sizeof(mortal_atomic<int>)];
                       atomic<int> is_over{0};
                   };
                   auto s = std::make_shared<state>();
                   auto* const object = new (s->room) mortal_atomic<int>(0);
                   execution.thread([=] {
                       object->store(1, relaxed);
                       s->is_over.store(1, done);
                   });
                   execution.thread([=] {
                       while (s->is_over.load(acquire) == 0)
                           atomics::pause();
                       mortal_atomics::dispose(object);
                   });
               })
            .failure;
    };
    EXPECT_EQ(ends(release), "");
    EXPECT_NE(ends(relaxed), "");
}

TEST(explorer, a_signal_may_come_at_any_access) {
    std::set<int> seen;
    const result r = explore([&](run& execution) {
        auto x = std::make_shared<atomic<int>>(0);
        execution.thread(
            [x] {
                x->fetch_add(1, relaxed);
                x->fetch_add(1, relaxed);
            },
            [x] { x->store(10 * x->load(relaxed), relaxed); });
        execution.thread([] { raise_signal(0); });
        execution.finally([x, &seen] { seen.insert(x->load(relaxed)); });
    });
    EXPECT_TRUE(r.is_complete) << r.failure;
    EXPECT_EQ(seen, (std::set<int>{2, 11}));
}

TEST(explorer, a_weakened_access_is_weaker) {
    const program passing = [](run& execution) {
        auto s = std::make_shared<two_variables>();
        execution.thread([s] {
            s->x.store(1, relaxed);
            s->y.store(1, release);
        });
        execution.thread([s] {
            if (s->y.load(acquire) == 1)
                check(s->x.load(relaxed) == 1, "stale");
        });
    };
    const result whole = explore(passing);
    ASSERT_TRUE(whole.is_complete) << whole.failure;
    ASSERT_EQ(whole.accesses.size(), 4u);
    unsigned noticed = 0;
    for (const auto& a : whole.accesses) {
        if (a.order != relaxed) {
            EXPECT_EQ(explore(passing, {.changed = mutant{a.where, relaxed}}).failure, "stale") << a.name;
        }
        noticed += !explore(passing, {.changed = mutant{a.where, a.order, true}}).failure.empty();
    }
    EXPECT_EQ(noticed, 1u);  // without the first store; without the second nobody reads it
}

}  // namespace
}  // namespace bough::model
