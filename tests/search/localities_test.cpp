// Two localities in one process, and an agent that carries tasks and bounds between them, as one over a network does.

#include <bough/task_arena.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "search/locality.h"
#include "search/random_tree.h"
#include "search/skeletons.h"
#include "support/patience.h"

namespace {

using bough::search::detail::local_work;
using bough::search::detail::outside_work;
using bough::search::detail::packed_task;
using bough_test::bounded_tree;
using bough_test::random_tree;
using bough_test::tree_sum;
using bough_test::way;
using bough_test::ways;

// What a search sees of the others.
class link : public outside_work {
public:
    explicit link(bool first) : first_(first) {}
    bool has_root() const override { return first_; }
    void begin(local_work& work) override {
        EXPECT_EQ(work.is_idle(), !first_)
            << "an agent that is quick would end the search before its root is there";
        work_.store(&work, std::memory_order_release);  // pairs with work()
    }
    void found_bound(std::int64_t key) override {
        std::int64_t old = bound_;
        while (old < key && !bound_.compare_exchange_weak(old, key)) {
        }
    }
    void found_target() override { target_ = true; }
    void starved() override { ++starved_; }
    void failed() override {
        EXPECT_FALSE(work()->is_idle())
            << "an agent that is quick would end the search as if it had gone well";
        failed_ = true;
        const std::lock_guard lock(using_);  // the agent sees it, or has ended its round
        work_ = nullptr;
    }

    local_work* work() const { return work_.load(std::memory_order_acquire); }
    std::mutex& in_use() { return using_; }
    std::int64_t bound() const { return bound_; }
    bool has_target() const { return target_; }
    int starved_times() const { return starved_; }
    bool has_failed() const { return failed_; }

private:
    const bool first_;
    std::atomic<local_work*> work_{nullptr};
    std::atomic<std::int64_t> bound_{bough::search::detail::no_key};
    std::atomic<bool> target_{false}, failed_{false};
    std::atomic<int> starved_{0};
    std::mutex using_;
};

// Moves tasks to the one that has none, until both are idle. One thread does all of it, so nothing is on its way when
// it looks.
class agent {
public:
    agent(link& a, link& b) : a_(a), b_(b), thread_([this] { run(); }) {}
    ~agent() { thread_.join(); }

private:
    void run() {
        const auto is_there = [](const link& l) { return l.work() || l.has_failed(); };
        EXPECT_TRUE(bough_test::comes_true([&] { return is_there(a_) && is_there(b_); }));
        while (!round())
            std::this_thread::yield();
    }
    bool round() {
        const std::lock_guard lock_a(a_.in_use()), lock_b(b_.in_use());
        if (a_.has_failed() || b_.has_failed()) {
            for (link* l : {&a_, &b_})
                if (!l->has_failed() && l->work()) {
                    l->work()->stop();
                    l->work()->finish();
                }
            return true;
        }
        local_work &a = *a_.work(), &b = *b_.work();
        EXPECT_GE(a.rate(), 0.3);
        if (a_.has_target() || b_.has_target()) {
            a.stop();
            b.stop();
        }
        a.take_bound(b_.bound());
        b.take_bound(a_.bound());
        move(a, b);
        move(b, a);
        // Idle is for good unless a task is put: first here, then there, then here again.
        if (!a.is_idle() || !b.is_idle())
            return false;
        a.finish();
        b.finish();
        return true;
    }
    void move(local_work& from, local_work& to) {
        if (to.tasks() != 0)
            return;
        std::vector<packed_task> some;
        from.take_shallowest(2, some);
        for (const packed_task& t : some)
            to.put(t);
    }

    link &a_, &b_;
    std::thread thread_;
};

struct outcome {
    bough::search::counters sum;
    int starved = 0;
};

// Calls search(options) for both localities, each in an arena and a thread of its own.
template <class Search>
outcome in_two(const way& w, const Search& search) {
    link first(true), second(false);
    bough::search::counters counted[2];
    outcome all;
    {
        agent between(first, second);
        std::thread other([&] {
            bough::search::options o = w.options;
            o.outside = &second;
            o.threads = 2;
            counted[1] = search(o, 1);
        });
        bough::search::options o = w.options;
        o.outside = &first;
        o.threads = 2;
        counted[0] = search(o, 0);
        other.join();
        all.starved = first.starved_times() + second.starved_times();
    }
    all.sum = counted[0];
    all.sum.add(counted[1]);
    return all;
}

std::vector<way> parallel_ways() {
    std::vector<way> all = ways();
    all.erase(all.begin());
    return all;
}

// Visits that leave the agent time.
struct slow_sum : tree_sum {
    void visit(const random_tree& t, const random_tree::node& n, unsigned depth) {
        tree_sum::visit(t, n, depth);
        std::this_thread::yield();
    }
};

TEST(search_localities, count_each_node_once) {
    std::uint64_t remote = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
        const random_tree tree(seed, 8, 4);
        tree_sum expected;
        sum_below(tree, tree.root(), expected);
        for (const way& w : parallel_ways()) {
            SCOPED_TRACE(w.name + ", seed " + std::to_string(seed));
            slow_sum values[2];
            const outcome all = in_two(w, [&](const bough::search::options& o, int who) {
                const auto found = bough::search::enumerate(tree, tree.root(), slow_sum{}, o);
                values[who] = found.value;
                return found.counted;
            });
            values[0].join(values[1]);
            EXPECT_EQ(static_cast<tree_sum&>(values[0]), expected);
            EXPECT_EQ(all.sum.nodes, expected.nodes);
            EXPECT_EQ(all.sum.spawned, all.sum.executed);
            EXPECT_EQ(all.sum.executed, all.sum.local + all.sum.remote);
            EXPECT_GE(all.starved, 1);
            remote += all.sum.remote;
        }
    }
    EXPECT_GT(remote, 0u);
    EXPECT_EQ(random_tree::node::alive, 0);
}

TEST(search_localities, one_of_them_has_the_best_node) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const bounded_tree tree(true, seed, 7, 4);
        const std::int64_t best = tree.best_below(tree.root());
        for (const way& w : parallel_ways()) {
            SCOPED_TRACE(w.name + ", seed " + std::to_string(seed));
            std::optional<std::int64_t> values[2];
            const outcome all = in_two(w, [&](const bough::search::options& o, int who) {
                const auto found = bough::search::maximise(tree, tree.root(), o);
                if (found.node)
                    values[who] = tree.objective(*found.node);
                return found.counted;
            });
            EXPECT_EQ(std::max(values[0], values[1]), best);
            EXPECT_EQ(all.sum.spawned, all.sum.executed);
        }
    }
}

TEST(search_localities, a_decision_stops_both) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const bounded_tree tree(true, seed, 7, 4);
        const std::int64_t best = tree.best_below(tree.root());
        for (const way& w : parallel_ways()) {
            SCOPED_TRACE(w.name + ", seed " + std::to_string(seed));
            std::atomic<int> found_by{0};
            const outcome all = in_two(w, [&](const bough::search::options& o, int) {
                const auto found = bough::search::decide_at_least(tree, tree.root(), best, o);
                found_by += found.node.has_value();
                return found.counted;
            });
            EXPECT_GE(found_by, 1);
            EXPECT_EQ(all.sum.spawned, all.sum.executed);
        }
    }
}

// In how many of the two localities the search throws.
int thrown_in_two(const way& w, const random_tree& tree) {
    std::atomic<int> thrown{0};
    in_two(w, [&](const bough::search::options& o, int) {
        try {
            return bough::search::enumerate(tree, tree.root(), tree_sum{}, o).counted;
        } catch (const std::runtime_error&) {
            ++thrown;
            return bough::search::counters{};
        }
    });
    return thrown;
}

TEST(search_localities, what_one_throws_ends_both) {
    for (int round = 0; round < 5; ++round)
        for (const way& w : parallel_ways()) {
            SCOPED_TRACE(w.name);
            random_tree tree(11, 8, 4);
            tree.throws_at = 4;
            tree.throws_one_in = 300;
            EXPECT_GE(thrown_in_two(w, tree), 1);
            EXPECT_EQ(random_tree::node::alive, 0);
        }
}

// Another process may take the root before a worker at home does. It divides it all the same.
TEST(search_localities, a_root_that_was_taken_is_divided_too) {
    const random_tree tree(5, 8, 4);
    tree_sum expected;
    sum_below(tree, tree.root(), expected);
    for (const way& w : parallel_ways()) {
        if (w.options.how != bough::search::skeleton::ordered || w.options.spawn_depth == 0)
            continue;
        SCOPED_TRACE(w.name);
        link elsewhere(false);
        std::thread agent([&] {
            ASSERT_TRUE(bough_test::comes_true([&] { return elsewhere.work() != nullptr; }));
            local_work& work = *elsewhere.work();
            packed_task root;
            tree.root().pack(root.bytes);
            work.put(root);
            EXPECT_TRUE(bough_test::comes_true([&] { return work.is_idle(); }));
            work.finish();
        });
        bough::search::options o = w.options;
        o.outside = &elsewhere;
        o.threads = 2;
        const auto found = bough::search::enumerate(tree, tree.root(), tree_sum{}, o);
        agent.join();
        EXPECT_EQ(found.value, expected);
        EXPECT_GT(found.counted.spawned, 1u);
        EXPECT_EQ(found.counted.remote, 1u);
        EXPECT_EQ(found.counted.local, found.counted.spawned);
    }
}

// One thread never hungers itself, so all tasks but the root are for others.
TEST(search_localities, stack_stealing_makes_tasks_that_others_want) {
    struct wanting_link : link {
        explicit wanting_link(std::size_t tasks) : link(true), wanted(tasks) {}
        void begin(local_work& work) override {
            work.want(wanted);
            link::begin(work);
        }
        std::size_t wanted;
    };
    const random_tree tree(5, 8, 4);
    for (const std::size_t wanted : {0u, 1u}) {
        wanting_link elsewhere(wanted);
        std::thread agent([&] {
            ASSERT_TRUE(bough_test::comes_true([&] { return elsewhere.work() != nullptr; }));
            EXPECT_TRUE(bough_test::comes_true([&] { return elsewhere.work()->is_idle(); }));
            elsewhere.work()->finish();
        });
        bough::search::options o;
        o.how = bough::search::skeleton::stack_stealing;
        o.outside = &elsewhere;
        o.threads = 1;
        const auto found = bough::search::enumerate(tree, tree.root(), tree_sum{}, o);
        agent.join();
        EXPECT_EQ(found.counted.spawned > 1, wanted != 0);
    }
}

// One task, and no other that could be outstanding. link::failed() looks.
TEST(search_localities, a_task_that_throws_stays_outstanding) {
    for (const way& w : parallel_ways()) {
        SCOPED_TRACE(w.name);
        random_tree tree(11, 8, 4);
        tree.throws_at = 4;
        EXPECT_EQ(thrown_in_two(w, tree), 1);
    }
}

// It never calls the search that has gone, nor the next one in its place.
TEST(search_localities, one_that_has_failed_says_so) {
    struct : local_work {
        std::size_t tasks() const override { return 0; }
        std::size_t running() const override { return 0; }
        void take_shallowest(std::size_t, std::vector<packed_task>&) override {}
        void want(std::size_t) override {}
        void put(const packed_task&) override {}
        bool is_idle() const override { return true; }
        double rate() const override { return 1; }
        unsigned workers() const override { return 1; }
        void take_bound(std::int64_t) override {}
        void stop() override {}
        void finish() override { ++finished; }
        int finished = 0;
    } work;
    bough::search::locality l;
    l.open(work);
    l.finish();
    EXPECT_EQ(work.finished, 1);
    EXPECT_THROW(l.finish(), bough::search::search_failed);
    l.open(work);
    EXPECT_TRUE(l.is_idle());
    l.fail();
    EXPECT_THROW(l.is_idle(), bough::search::search_failed);
    EXPECT_THROW(l.finish(), bough::search::search_failed);
    l.open(work);
    EXPECT_THROW(l.is_idle(), bough::search::search_failed);
    EXPECT_THROW(l.finish(), bough::search::search_failed);
    EXPECT_EQ(work.finished, 1);
}

TEST(search_localities, what_makes_no_sense_is_refused) {
    link l(true);
    bough::search::options o;
    o.outside = &l;
    o.how = bough::search::skeleton::sequential;
    const random_tree tree(1, 3, 3);
    EXPECT_THROW(bough::search::enumerate(tree, tree.root(), tree_sum{}, o), std::invalid_argument);
}

}  // namespace
