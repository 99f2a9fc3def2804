// Contexts that several threads make, bind, cancel and destroy: which thread did what makes no difference.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_group.h>

#include "abi/library.h"

namespace {

using context = tbb::task_group_context;

// Binds it, at its first use, to what the caller works in.
void use(context& c) {
    tbb::parallel_for(0, 2, [](int) {}, tbb::simple_partitioner(), c);
}

// Runs f(thread) in so many threads, which begin at once.
template <class F>
void in_threads(int count, F&& f) {
    std::atomic<int> missing{count};
    std::vector<std::thread> all;
    for (int i = 0; i < count; ++i)
        all.emplace_back([&, i] {
            --missing;
            while (missing != 0)
                std::this_thread::yield();
            f(i);
        });
    for (std::thread& t : all)
        t.join();
}

// It does not reach contexts that were bound by threads which have ended.
constexpr const char* forgets = "oneTBB forgets what a thread has bound when that ends";

TEST(contexts_of_threads, bound_by_the_first_of_many) {
    if (is_onetbb())
        GTEST_SKIP() << forgets;
    for (int round = 0; round < 200; ++round) {
        context common;
        std::array<context, 3> above;
        std::atomic<int> cancelled{0};
        in_threads(3, [&](int i) {
            tbb::parallel_for(0, 1, [&](int) { use(common); }, above[static_cast<std::size_t>(i)]);
        });
        for (context& c : above) {
            c.cancel_group_execution();
            cancelled += common.is_group_execution_cancelled();
            common.reset();
        }
        ASSERT_EQ(cancelled, 1) << "it has one parent";
    }
}

TEST(contexts_of_threads, made_here_bound_there_cancelled_from_above_destroyed_elsewhere) {
    if (is_onetbb())
        GTEST_SKIP() << forgets;
    for (int round = 0; round < 200; ++round) {
        context top;
        std::array<std::unique_ptr<context>, 8> below;
        for (auto& c : below)
            c = std::make_unique<context>();
        std::thread([&] {
            tbb::parallel_for(
                0, 1,
                [&](int) {
                    for (auto& c : below)
                        use(*c);
                },
                top);
        }).join();
        std::thread([&] { EXPECT_TRUE(top.cancel_group_execution()); }).join();
        for (auto& c : below)
            EXPECT_TRUE(c->is_group_execution_cancelled());
        std::thread([&] {
            for (auto& c : below)
                c = nullptr;
        }).join();
    }
}

// Near ones lead to one that another thread has made, and from there back; who cancels is the maker of the first, or
// another.
TEST(contexts_of_threads, cancelled_through_those_of_others) {
    const auto inside = [](context& c, auto&& f) {
        tbb::parallel_for(0, 1, [&](int) { f(); }, tbb::simple_partitioner(), c);
    };
    for (int round = 0; round < 100; ++round) {
        context top, near, last, unrelated;
        std::atomic<bool> is_bound{false}, is_cancelled{false};
        std::unique_ptr<context> far;
        // Tasks of `near` in another thread, which makes a context below it, and binds one of this thread's below that.
        const auto go_on = [&] {
            far = std::make_unique<context>();
            inside(*far, [&] { use(last); });
            is_bound = true;
            while (!is_cancelled)
                std::this_thread::yield();
        };
        inside(top, [&] { use(near); });
        use(unrelated);
        std::thread other([&] { inside(near, go_on); });
        while (!is_bound)
            std::this_thread::yield();
        const auto cancel = [&] { EXPECT_TRUE(top.cancel_group_execution()); };
        round % 2 == 0 ? cancel() : std::thread(cancel).join();
        for (context* c : {&near, far.get(), &last})
            EXPECT_TRUE(c->is_group_execution_cancelled());
        EXPECT_FALSE(unrelated.is_group_execution_cancelled());
        is_cancelled = true;
        other.join();
        EXPECT_FALSE(near.cancel_group_execution());
    }
}

// Each thread works on contexts of its own, and on some of the others', while they are cancelled from above.
TEST(contexts_of_threads, of_one_thread_used_by_others_under_cancellation) {
    if (is_onetbb())
        GTEST_SKIP() << forgets;
    for (int round = 0; round < 30; ++round) {
        context top;
        std::array<std::atomic<context*>, 16> shared{};
        std::atomic<int> late{0};
        in_threads(4, [&](int thread) {
            for (int step = 0; step < 40; ++step)
                tbb::parallel_for(
                    0, 1,
                    [&](int) {
                        context mine;
                        use(mine);
                        auto ours = std::make_unique<context>();
                        use(*ours);
                        const auto place = static_cast<std::size_t>(thread * 7 + step * 5) % shared.size();
                        delete shared[place].exchange(ours.release());
                        if (thread == 0 && step == 20) {
                            top.cancel_group_execution();
                            late += !mine.is_group_execution_cancelled();
                        }
                    },
                    top);
        });
        EXPECT_EQ(late, 0);
        EXPECT_TRUE(top.is_group_execution_cancelled());
        for (auto& c : shared) {
            const std::unique_ptr<context> last(c.load());
            EXPECT_TRUE(!last || last->is_group_execution_cancelled());
        }
    }
}

// What a thread has bound stays bound, whoever comes after it.
TEST(contexts_of_threads, outlive_their_threads) {
    if (is_onetbb())
        GTEST_SKIP() << forgets;
    for (int round = 0; round < 100; ++round) {
        context top;
        std::array<std::unique_ptr<context>, 6> below;
        for (auto& c : below)
            std::thread([&] {
                tbb::parallel_for(
                    0, 1,
                    [&](int) {
                        c = std::make_unique<context>();
                        use(*c);
                        context brief;
                        use(brief);
                    },
                    top);
            }).join();
        below[1] = nullptr;
        std::thread([&] { below[4] = nullptr; }).join();
        EXPECT_TRUE(top.cancel_group_execution());
        for (const auto& c : below)
            EXPECT_TRUE(!c || c->is_group_execution_cancelled());
    }
}

}  // namespace
