#pragma once
// The flow graphs of binary.cpp: each returns what has come out at its end.

#include <oneapi/tbb/flow_graph.h>

#include <atomic>
#include <thread>
#include <tuple>

namespace graphs {

using namespace tbb::flow;

inline long joined_pairs() {
    graph g;
    long joined = 0;
    function_node<int, int> doubled(g, unlimited, [](int i) { return 2 * i; });
    function_node<int, int, lightweight> tripled(g, unlimited, [](int i) { return 3 * i; });
    join_node<std::tuple<int, int>> both(g);
    function_node<std::tuple<int, int>> add(
        g, serial, [&](const std::tuple<int, int>& t) { joined += std::get<0>(t) + std::get<1>(t); });
    make_edge(doubled, input_port<0>(both));
    make_edge(tripled, input_port<1>(both));
    make_edge(both, add);
    for (int i = 0; i < 300; ++i) {
        doubled.try_put(i);
        tripled.try_put(i);
    }
    g.wait_for_all();
    return joined;
}

inline int limited() {
    graph g;
    std::atomic<int> critical{0};
    function_node<int> first(g, 1, [&](int) { critical.fetch_add(1); }, node_priority_t(2));
    limiter_node<int> limiter(g, 5);
    make_edge(limiter, first);
    for (int i = 0; i < 9; ++i)
        limiter.try_put(i);
    g.wait_for_all();
    return critical.load();
}

inline int from_input() {
    graph g;
    int made = 0, received = 0;
    input_node<int> source(g, [&](tbb::flow_control& fc) {
        if (made == 100) {
            fc.stop();  // each time that it asks
            return 0;
        }
        return made++;
    });
    queue_node<int> queue(g);
    function_node<int> sink(g, serial, [&](int) { ++received; });
    make_edge(source, queue);
    make_edge(queue, sink);
    source.activate();
    g.wait_for_all();
    return received;
}

inline int from_outside() {
    graph g;
    std::thread outside;
    int answered = 0;
    async_node<int, int> async(g, unlimited, [&](int i, async_node<int, int>::gateway_type& gateway) {
        gateway.reserve_wait();
        outside = std::thread([i, &gateway] {
            gateway.try_put(i + 1);
            gateway.release_wait();
        });
    });
    function_node<int> answer(g, serial, [&](int i) { answered = i; });
    make_edge(async, answer);
    async.try_put(41);
    g.wait_for_all();
    outside.join();
    return answered;
}

}  // namespace graphs
