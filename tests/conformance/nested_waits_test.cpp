// Waits deep inside other bodies: what they take inside task_arena::execute.
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

}  // namespace
