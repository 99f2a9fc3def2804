// Nodes with several ports: join_node with its policies, split_node, indexer_node and composite_node.

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

namespace flow = tbb::flow;
using headers_only::first_numbers;
using headers_only::sum_below;

using pair_type = std::tuple<int, std::string>;

struct pair_sink : flow::function_node<pair_type> {
    explicit pair_sink(flow::graph& g)
        : flow::function_node<pair_type>(g, flow::serial, [this](const pair_type& p) {
              got_.push_back(p);
              return flow::continue_msg();
          }) {}
    std::vector<pair_type> got_;
};

TEST(join_node, queueing_pairs_by_arrival) {
    flow::graph g;
    flow::join_node<pair_type, flow::queueing> join(g);
    pair_sink end(g);
    flow::make_edge(join, end);
    for (int i = 0; i < 100; ++i)
        EXPECT_TRUE(flow::input_port<0>(join).try_put(i));
    g.wait_for_all();
    EXPECT_TRUE(end.got_.empty());
    for (int i = 0; i < 60; ++i)
        EXPECT_TRUE(flow::input_port<1>(join).try_put(std::to_string(i)));
    g.wait_for_all();
    ASSERT_EQ(end.got_.size(), 60u);
    for (int i = 0; i < 60; ++i)
        EXPECT_EQ(end.got_[static_cast<std::size_t>(i)], pair_type(i, std::to_string(i)));
    g.reset();
    flow::input_port<1>(join).try_put("after");
    g.wait_for_all();
    EXPECT_EQ(end.got_.size(), 60u) << "reset forgets what the ports held";
}

TEST(join_node, queueing_from_many_threads) {
    using triple = std::tuple<int, int, int>;
    flow::graph g;
    std::atomic<int> sums[3] = {};
    std::atomic<int> count{0};
    flow::join_node<triple> join(g);
    flow::function_node<triple> end(g, flow::unlimited, [&](const triple& t) {
        sums[0] += std::get<0>(t);
        sums[1] += std::get<1>(t);
        sums[2] += std::get<2>(t);
        ++count;
    });
    flow::make_edge(join, end);
    tbb::parallel_for(0, 300, [&](int i) {
        flow::input_port<0>(join).try_put(i);
        flow::input_port<1>(join).try_put(2 * i);
        flow::input_port<2>(join).try_put(3 * i);
    });
    g.wait_for_all();
    EXPECT_EQ(count, 300);
    for (int k = 0; k < 3; ++k)
        EXPECT_EQ(sums[k], (k + 1) * sum_below(300));
}

TEST(join_node, queueing_keeps_tuples_until_somebody_takes_them) {
    flow::graph g;
    flow::join_node<pair_type> join(g);
    flow::input_port<0>(join).try_put(1);
    flow::input_port<1>(join).try_put("one");
    g.wait_for_all();
    pair_type got;
    EXPECT_TRUE(join.try_get(got));
    EXPECT_EQ(got, pair_type(1, "one"));
    EXPECT_FALSE(join.try_get(got));
}

// Takes from its predecessors only when all of them have something: what is alone stays where it was.
TEST(join_node, reserving_takes_all_or_nothing) {
    flow::graph g;
    flow::queue_node<int> numbers(g);
    flow::queue_node<std::string> names(g);
    flow::join_node<pair_type, flow::reserving> join(g);
    pair_sink end(g);
    flow::make_edge(numbers, flow::input_port<0>(join));
    flow::make_edge(names, flow::input_port<1>(join));
    flow::make_edge(join, end);
    for (int i = 0; i < 10; ++i)
        numbers.try_put(i);
    for (int i = 0; i < 4; ++i)
        names.try_put(std::to_string(i));
    g.wait_for_all();
    ASSERT_EQ(end.got_.size(), 4u);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(end.got_[static_cast<std::size_t>(i)], pair_type(i, std::to_string(i)));
    std::vector<int> left;
    for (int value; numbers.try_get(value);)
        left.push_back(value);
    EXPECT_EQ(left, (std::vector<int>{4, 5, 6, 7, 8, 9}));
}

// One token serves two joins, so only one of them is at work at a time.
TEST(join_node, reserving_shares_a_resource) {
    flow::graph g;
    using job = std::tuple<int, int>;
    std::atomic<int> busy{0};
    std::atomic<int> done{0};
    flow::buffer_node<int> token(g);
    flow::queue_node<int> first(g);
    flow::queue_node<int> second(g);
    flow::join_node<job, flow::reserving> join_first(g);
    flow::join_node<job, flow::reserving> join_second(g);
    const auto body = [&](const job& j) {
        EXPECT_EQ(++busy, 1);
        done += std::get<0>(j);
        --busy;
        token.try_put(std::get<1>(j));
        return flow::continue_msg();
    };
    flow::function_node<job> work_first(g, flow::unlimited, body);
    flow::function_node<job> work_second(g, flow::unlimited, body);
    flow::make_edge(first, flow::input_port<0>(join_first));
    flow::make_edge(token, flow::input_port<1>(join_first));
    flow::make_edge(second, flow::input_port<0>(join_second));
    flow::make_edge(token, flow::input_port<1>(join_second));
    flow::make_edge(join_first, work_first);
    flow::make_edge(join_second, work_second);
    for (int i = 0; i < 50; ++i) {
        first.try_put(i);
        second.try_put(i);
    }
    token.try_put(1);
    g.wait_for_all();
    EXPECT_EQ(done, 2 * sum_below(50));
}

TEST(join_node, key_matching_pairs_by_key) {
    flow::graph g;
    const auto key_of_number = [](const int& i) { return i / 10; };
    const auto key_of_name = [](const std::string& s) { return std::stoi(s); };
    flow::join_node<pair_type, flow::key_matching<int>> join(g, key_of_number, key_of_name);
    pair_sink end(g);
    flow::make_edge(join, end);
    tbb::parallel_for(0, 200, [&](int i) { EXPECT_TRUE(flow::input_port<0>(join).try_put(10 * i)); });
    tbb::parallel_for(
        0, 150, [&](int i) { EXPECT_TRUE(flow::input_port<1>(join).try_put(std::to_string(149 - i))); });
    g.wait_for_all();
    std::map<int, std::string> by_number;
    for (const auto& [number, name] : end.got_)
        by_number[number] = name;
    ASSERT_EQ(end.got_.size(), 150u);
    ASSERT_EQ(by_number.size(), 150u);
    for (const auto& [number, name] : by_number)
        EXPECT_EQ(std::to_string(number / 10), name);
}

TEST(join_node, key_matching_refuses_a_key_that_waits_already) {
    flow::graph g;
    using ints = std::tuple<int, int>;
    const auto key = [](const int& i) { return static_cast<flow::tag_value>(i % 10); };
    flow::join_node<ints, flow::tag_matching> join(g, key, key);
    EXPECT_TRUE(flow::input_port<0>(join).try_put(3));
    EXPECT_FALSE(flow::input_port<0>(join).try_put(13));
    EXPECT_TRUE(flow::input_port<1>(join).try_put(23));
    g.wait_for_all();
    ints got;
    EXPECT_TRUE(join.try_get(got));
    EXPECT_EQ(std::get<0>(got) % 10, 3) << "which of the two is kept is not documented";
    EXPECT_EQ(std::get<1>(got), 23);
    EXPECT_TRUE(flow::input_port<0>(join).try_put(13));
    g.wait_for_all();
}

struct text_hash {
    std::size_t hash(const std::string& s) const { return s.size(); }
    bool equal(const std::string& a, const std::string& b) const { return a == b; }
};

TEST(join_node, key_matching_with_a_hash_of_the_users) {
    flow::graph g;
    using texts = std::tuple<std::string, std::string>;
    const auto first_letter = [](const std::string& s) { return s.substr(0, 1); };
    flow::join_node<texts, flow::key_matching<std::string, text_hash>> join(g, first_letter, first_letter);
    std::vector<texts> got;
    flow::function_node<texts> end(g, flow::serial, [&](const texts& t) { got.push_back(t); });
    flow::make_edge(join, end);
    for (const char* s : {"apple", "birch", "cedar"})
        flow::input_port<0>(join).try_put(s);
    for (const char* s : {"c", "a", "x"})
        flow::input_port<1>(join).try_put(s);
    g.wait_for_all();
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, (std::vector<texts>{{"apple", "a"}, {"cedar", "c"}}));
}

TEST(split_node, each_element_to_its_port) {
    flow::graph g;
    std::vector<int> numbers;
    std::atomic<int> letters{0};
    flow::split_node<pair_type> split(g);
    flow::function_node<int> on_number(g, flow::serial, [&](int i) { numbers.push_back(i); });
    flow::function_node<std::string> on_name(
        g, flow::unlimited, [&](const std::string& s) { letters += static_cast<int>(s.size()); });
    flow::make_edge(flow::output_port<0>(split), on_number);
    flow::make_edge(flow::output_port<1>(split), on_name);
    for (int i = 0; i < 100; ++i)
        EXPECT_TRUE(split.try_put(pair_type(i, "abc")));
    g.wait_for_all();
    EXPECT_EQ(numbers, first_numbers(100));
    EXPECT_EQ(letters, 300);
}

TEST(split_node, undoes_a_join) {
    flow::graph g;
    std::atomic<int> sum{0};
    flow::join_node<std::tuple<int, int>> join(g);
    flow::split_node<std::tuple<int, int>> split(g);
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::make_edge(join, split);
    flow::make_edge(flow::output_port<0>(split), end);
    flow::make_edge(flow::output_port<1>(split), end);
    for (int i = 0; i < 100; ++i) {
        flow::input_port<0>(join).try_put(i);
        flow::input_port<1>(join).try_put(i);
    }
    g.wait_for_all();
    EXPECT_EQ(sum, 2 * sum_below(100));
}

TEST(indexer_node, tells_the_port) {
    using node_type = flow::indexer_node<int, std::string, double>;
    flow::graph g;
    node_type indexer(g);
    std::atomic<int> count[3] = {};
    flow::function_node<node_type::output_type> end(
        g, flow::unlimited, [&](const node_type::output_type& message) {
            ++count[message.tag()];
            if (message.tag() == 0) {
                EXPECT_TRUE(message.is_a<int>());
                EXPECT_EQ(flow::cast_to<int>(message), 5);
                EXPECT_THROW(flow::cast_to<double>(message), std::runtime_error);
            } else if (message.tag() == 1) {
                EXPECT_EQ(flow::cast_to<std::string>(message), "five");
                EXPECT_FALSE(flow::is_a<int>(message));
            } else {
                EXPECT_EQ(flow::cast_to<double>(message), 0.5);
            }
        });
    flow::make_edge(indexer, end);
    tbb::parallel_for(0, 100, [&](int) {
        flow::input_port<0>(indexer).try_put(5);
        flow::input_port<1>(indexer).try_put("five");
        flow::input_port<2>(indexer).try_put(0.5);
    });
    g.wait_for_all();
    for (auto& n : count)
        EXPECT_EQ(n, 100);
}

// Adds two streams and doubles the sum; outside it looks like one node.
class adder : public flow::composite_node<std::tuple<int, int>, std::tuple<int>> {
    using base = flow::composite_node<std::tuple<int, int>, std::tuple<int>>;

public:
    explicit adder(flow::graph& g)
        : base(g), join_(g),
          add_(g, flow::unlimited,
               [](const std::tuple<int, int>& t) { return std::get<0>(t) + std::get<1>(t); }),
          twice_(g, flow::serial, [](int i) { return 2 * i; }) {
        flow::make_edge(join_, add_);
        flow::make_edge(add_, twice_);
        base::set_external_ports(
            base::input_ports_type(flow::input_port<0>(join_), flow::input_port<1>(join_)),
            base::output_ports_type(twice_));
        base::add_visible_nodes(join_, twice_);
        base::add_nodes(add_);
    }

private:
    flow::join_node<std::tuple<int, int>> join_;
    flow::function_node<std::tuple<int, int>, int> add_;
    flow::function_node<int, int> twice_;
};

TEST(composite_node, is_used_like_one_node) {
    flow::graph g;
    std::atomic<int> sum{0};
    adder sums(g);
    flow::broadcast_node<int> left(g);
    flow::function_node<int> end(g, flow::unlimited, [&](int i) { sum += i; });
    flow::make_edge(left, flow::input_port<0>(sums));
    flow::make_edge(flow::output_port<0>(sums), end);
    for (int i = 0; i < 100; ++i) {
        left.try_put(i);
        flow::input_port<1>(sums).try_put(1);
    }
    g.wait_for_all();
    EXPECT_EQ(sum, 2 * (sum_below(100) + 100));
}

TEST(composite_node, with_inputs_or_outputs_only) {
    flow::graph g;
    std::atomic<int> sum{0};
    int next = 0;
    flow::composite_node<std::tuple<>, std::tuple<int>> source(g);
    flow::composite_node<std::tuple<int>, std::tuple<>> drain(g);
    flow::input_node<int> producer(g, [&](tbb::flow_control& control) {
        if (next == 50) {
            control.stop();  // each time that it is asked
            return 0;
        }
        return next++;
    });
    flow::function_node<int> consumer(g, flow::unlimited, [&](int i) { sum += i; });
    source.set_external_ports(std::tuple<flow::sender<int>&>(producer));
    drain.set_external_ports(std::tuple<flow::receiver<int>&>(consumer));
    flow::make_edge(flow::output_port<0>(source), flow::input_port<0>(drain));
    producer.activate();
    g.wait_for_all();
    EXPECT_EQ(sum, sum_below(50));
}

}  // namespace
