// Waits deep inside other bodies: what they take inside task_arena::execute. And tasks of flow graph nodes with a
// priority, which come before the next task and before the next piece of a loop.
#include "support.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

#include <array>

using namespace conformance;
using tbb::task_arena;
namespace flow = tbb::flow;

namespace {

// The arena has one slot and one worker for what is enqueued; a function keeps that worker busy. So what is enqueued
// from now on is run by the thread in the slot, or by no thread.
class busy_worker {
public:
    explicit busy_worker(task_arena& arena) {
        arena.enqueue([this] {
            begun_ = true;
            spin_until([this] { return released_.load(); });
            ended_ = true;
        });
        spin_until([this] { return begun_.load(); });
    }
    ~busy_worker() {
        released_ = true;
        spin_until([this] { return ended_.load(); });
    }

private:
    std::atomic<bool> begun_{false}, released_{false}, ended_{false};
};

void enqueue_and_wait(task_arena& arena) {
    tbb::task_group group;
    arena.enqueue(group.defer([] {}));
    group.wait();
}

TEST(nested_waits, take_what_is_enqueued_in_an_execute_of_the_same_arena) {
    task_arena arena(1);
    arena.initialize();
    busy_worker worker(arena);
    arena.execute(
        [&] { tbb::parallel_for(0, 3, [&](int) { arena.execute([&] { enqueue_and_wait(arena); }); }); });
}

TEST(nested_waits, take_what_is_enqueued_in_an_execute_from_an_isolated_region) {
    task_arena arena(1);
    arena.initialize();
    busy_worker worker(arena);
    arena.execute(
        [&] { tbb::this_task_arena::isolate([&] { arena.execute([&] { enqueue_and_wait(arena); }); }); });
}

TEST(nested_waits, of_a_graph_take_what_its_gateway_enqueues) {
    task_arena arena(1);
    arena.initialize();
    busy_worker worker(arena);
    int received = 0;
    arena.execute([&] {
        tbb::parallel_for(0, 3, [&](int) {
            flow::graph g;
            flow::function_node<int> last(g, flow::serial, [&](int value) { received += value; });
            flow::broadcast_node<int> first(g);
            flow::make_edge(first, last);
            g.reserve_wait();
            arena.enqueue([&] {
                first.try_put(1);
                g.release_wait();
            });
            g.wait_for_all();
        });
    });
    EXPECT_EQ(received, 3);
}

// The worker that comes for the function must not help the loop in its place: then the thread that waits for the loop
// takes the function, which waits for what that thread does next.
TEST(nested_waits, come_after_what_a_worker_was_called_for) {
    for (int round = 0; round < 300; ++round) {
        task_arena arena(2, 1);
        std::atomic<int> arrived{0}, gone{0};
        const auto meet = [&] {
            const auto work = [](int) {  // a while longer than a worker takes to come
                for (volatile int i = 0; i < 5000; i = i + 1) {
                }
            };
            tbb::parallel_for(0, 200, work, tbb::simple_partitioner());
            ++arrived;
            spin_until([&] { return arrived == 2; });
            ++gone;
        };
        arena.enqueue(meet);
        arena.execute(meet);
        spin_until([&] { return gone == 2; });
    }
}

// Each function waits for the next one, and finds all slots taken by those before it.
TEST(nested_waits, take_functions_of_threads_that_found_no_slot) {
    constexpr int chain = 5;
    task_arena arena(1);
    std::array<tbb::task_group, chain> groups;
    std::vector<tbb::task_handle> handles;
    for (tbb::task_group& g : groups)
        handles.push_back(g.defer([] {}));
    std::atomic<int> begun{0};
    run_threads(chain + 1, [&](int i) {
        spin_until([&] { return begun == i; });
        arena.execute([&] {
            ++begun;
            if (i < chain)
                groups[static_cast<std::size_t>(i)].wait();
            else
                for (std::size_t k = 0; k < chain; ++k)
                    groups[k].run(std::move(handles[k]));
        });
    });
    EXPECT_EQ(begun, chain + 1);
}

// Functions of 52 threads, run in arenas with fewer slots: each enqueues and waits, runs a loop or a graph whose
// gateway enqueues, and goes on in an arena of a higher number. (In any order threads could wait for each other.)
class mix {
public:
    mix() {
        for (int i = 0; i < 6; ++i)
            arenas_.push_back(std::make_unique<task_arena>(1 + i % 3, i % 2));
    }
    void run(unsigned seed, std::size_t first, int depth) {
        const auto draw = [&seed] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
        if (depth == 0 || first == arenas_.size())
            return;
        const std::size_t chosen = first + draw() % (arenas_.size() - first);
        task_arena& arena = *arenas_[chosen];
        const unsigned kind = draw() % 4, next = draw();
        arena.execute([&] {
            const auto go_on = [&] { run(next, chosen + 1, depth - 1); };
            if (kind == 0)
                go_on();
            else if (kind == 1)
                enqueue_and_wait_around(arena, go_on);
            else if (kind == 2)
                tbb::parallel_for(0, 8, [&](int i) { i == 3 ? go_on() : void(); });
            else
                run_graph(arena);
        });
    }
    int received() const { return received_; }
    int sent() const { return sent_; }

private:
    template <class F>
    static void enqueue_and_wait_around(task_arena& arena, const F& f) {
        tbb::task_group group;
        arena.enqueue(group.defer([] {}));
        f();
        group.wait();
    }
    void run_graph(task_arena& arena) {
        using gateway_node = flow::async_node<int, int>;
        flow::graph g;
        gateway_node first(g, flow::unlimited, [&](int value, gateway_node::gateway_type& gateway) {
            gateway.reserve_wait();
            arena.enqueue([&gateway, value] {
                gateway.try_put(value);
                gateway.release_wait();
            });
        });
        flow::function_node<int> last(g, flow::unlimited, [&](int) { ++received_; });
        flow::make_edge(first, last);
        for (int i = 0; i < 4; ++i, ++sent_)
            first.try_put(i);
        g.wait_for_all();
    }

    std::vector<std::unique_ptr<task_arena>> arenas_;
    std::atomic<int> received_{0}, sent_{0};
};

TEST(nested_waits, of_many_threads_in_few_arenas) {
    mix m;
    run_threads(52, [&](int thread) {
        for (unsigned round = 0; round < 20; ++round)
            m.run(static_cast<unsigned>(thread) * 7919 + round, 0, 3);
    });
    EXPECT_EQ(m.received(), m.sent());
    EXPECT_GT(m.sent(), 0);
}

using order = std::vector<std::string>;
using node = flow::continue_node<flow::continue_msg>;

auto note(order& seen, const char* name) {
    return [&seen, name](flow::continue_msg) { seen.push_back(name); };
}

TEST(node_priorities, come_before_the_task_that_a_node_returns) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    task_arena arena(1);
    arena.execute([&] {
        flow::graph g;
        order seen;
        node urgent(g, note(seen, "urgent"), flow::node_priority_t(1));
        node first(g, [&](flow::continue_msg) {
            seen.push_back("first");
            urgent.try_put(flow::continue_msg());
        });
        node second(g, note(seen, "second")), third(g, note(seen, "third"));
        flow::make_edge(first, second);
        flow::make_edge(second, third);
        first.try_put(flow::continue_msg());
        g.wait_for_all();
        EXPECT_EQ(seen, (order{"first", "urgent", "second", "third"}));
    });
}

TEST(node_priorities, order_successors) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    task_arena arena(1);
    arena.execute([&] {
        flow::graph g;
        order seen;
        node first(g, note(seen, "first"));
        node none(g, note(seen, "none")), low(g, note(seen, "low"), flow::node_priority_t(1)),
            high(g, note(seen, "high"), flow::node_priority_t(2));
        for (node* next : {&low, &none, &high})
            flow::make_edge(first, *next);
        first.try_put(flow::continue_msg());
        g.wait_for_all();
        EXPECT_EQ(seen, (order{"first", "high", "low", "none"}));
    });
}

// The first unit posts; in one thread the node's body has run before the last ones.
template <class Loop>
void expect_run_within(const Loop& loop) {
    constexpr int units = 1000;
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    task_arena arena(1);
    arena.execute([&] {
        flow::graph g;
        bool has_run = false;
        int late = 0;
        node urgent(g, [&](flow::continue_msg) { has_run = true; }, flow::node_priority_t(1));
        for (int round = 0; round < 30; ++round) {  // a loop that has been seen before takes other ways
            has_run = false;
            loop(units, [&](int i) {
                if (i == 0)
                    urgent.try_put(flow::continue_msg());
                late += i >= units - 10 && !has_run;
            });
            g.wait_for_all();
        }
        EXPECT_EQ(late, 0);
    });
}

TEST(node_priorities, come_between_the_pieces_of_a_loop) {
    expect_run_within([](int n, const auto& f) { tbb::parallel_for(0, n, f); });
    expect_run_within([](int n, const auto& f) { tbb::parallel_for(0, n, f, tbb::simple_partitioner()); });
    expect_run_within([](int n, const auto& f) {
        tbb::parallel_reduce(
            tbb::blocked_range<int>(0, n), 0,
            [&f](const tbb::blocked_range<int>& r, int sum) {
                for (int i = r.begin(); i != r.end(); ++i)
                    f(i);
                return sum;
            },
            [](int a, int b) { return a + b; });
    });
}

// Each piece posts, and the node's body has run before the next one, which may wait for it.
TEST(node_priorities, come_after_each_piece_of_simple_partitioner) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    task_arena arena(1);
    arena.execute([&] {
        flow::graph g;
        int runs = 0, late = 0;
        node urgent(g, [&](flow::continue_msg) { ++runs; }, flow::node_priority_t(1));
        for (int round = 0; round < 30; ++round) {
            runs = 0;
            const auto body = [&](int i) {
                late += runs != i;
                urgent.try_put(flow::continue_msg());
            };
            tbb::parallel_for(0, 100, body, tbb::simple_partitioner());
            g.wait_for_all();
        }
        EXPECT_EQ(late, 0);
    });
}

// With other threads: the last unit waits for what the first one has posted.
TEST(node_priorities, come_between_the_pieces_of_a_loop_that_waits_for_them) {
    const auto test = [] {
        flow::graph g;  // in the arena that the loop runs in
        std::atomic<bool> has_run{false};
        node urgent(g, [&](flow::continue_msg) { has_run = true; }, flow::node_priority_t(1));
        for (int round = 0; round < 10; ++round) {
            has_run = false;
            // One thread alone does not get there with auto_partitioner on oneTBB: the first and the last unit may be
            // of one task.
            const auto body = [&](int i) {
                if (i == 0)
                    urgent.try_put(flow::continue_msg());
                if (i == 999)
                    spin_until([&] { return has_run.load(); });
            };
            tbb::parallel_for(0, 1000, body, tbb::simple_partitioner());
            g.wait_for_all();
        }
    };
    for (int threads : {1, 2, 8})
        with_width(threads, test);
}

}  // namespace
