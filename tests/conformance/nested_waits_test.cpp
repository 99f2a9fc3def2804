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

// The arena has one seat and one worker for what is enqueued; a function keeps that worker busy. So what is enqueued
// from now on is run by the thread on the seat, or by no thread.
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

// Each function waits for the next one, and finds all seats taken by those before it.
TEST(nested_waits, take_functions_of_threads_that_found_no_seat) {
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

using order = std::vector<std::string>;
using node = flow::continue_node<flow::continue_msg>;

TEST(node_priorities, come_before_the_task_that_a_node_returns) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    task_arena arena(1);
    arena.execute([&] {
        flow::graph g;
        order seen;
        const auto note = [&seen](const char* name) {
            return [&seen, name](flow::continue_msg) { seen.push_back(name); };
        };
        node urgent(g, note("urgent"), flow::node_priority_t(1));
        node first(g, [&](flow::continue_msg) {
            seen.push_back("first");
            urgent.try_put(flow::continue_msg());
        });
        node second(g, note("second")), third(g, note("third"));
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
        const auto note = [&seen](const char* name) {
            return [&seen, name](flow::continue_msg) { seen.push_back(name); };
        };
        node first(g, note("first"));
        node none(g, note("none")), low(g, note("low"), flow::node_priority_t(1)),
            high(g, note("high"), flow::node_priority_t(2));
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
