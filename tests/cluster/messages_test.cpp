// What carries messages: bytes, epochs, delays, the virtual network, reductions, the watch on the rank before.

#include <gtest/gtest.h>
#include <map>

#include "cluster/delayed_transport.h"
#include "cluster/reduction.h"
#include "cluster/ring_watch.h"
#include "cluster/simulation/virtual_rank.h"
#include "cluster/wire.h"

namespace {

using namespace bough::cluster;

template <class Body>
Body there_and_back(Body body) {
    const message m = read_message(write_message({7, 0, body}), 3);
    EXPECT_EQ(m.epoch, 7u);
    EXPECT_EQ(m.from, 3);
    return std::get<Body>(m.body);
}

bytes some_bytes(std::size_t size) {
    bytes b(size);
    for (std::size_t i = 0; i < size; ++i)
        b[i] = static_cast<std::byte>(i * 7);
    return b;
}

TEST(wire, carries_every_message) {
    EXPECT_EQ(there_and_back(steal_request{5}).most, 5u);
    const stolen_tasks tasks{{{1, 2, some_bytes(3)}, {4, 5, {}}}};
    EXPECT_EQ(there_and_back(tasks).tasks, tasks.tasks);
    there_and_back(nothing_to_steal{});
    there_and_back(statistics_request{});
    EXPECT_EQ(there_and_back(statistics{1, 2.5, 3}).rate, 2.5);
    EXPECT_EQ(there_and_back(bound_found{-4, 5}).value, -4);
    EXPECT_EQ(there_and_back(stop_all{6}).origin, 6);
    EXPECT_EQ(there_and_back(safra_token{-1, true}).count, -1);
    there_and_back(search_done{});
    EXPECT_EQ(there_and_back(partial_result{some_bytes(100'000)}).value, some_bytes(100'000));
    EXPECT_EQ(there_and_back(total_result{some_bytes(1)}).value, some_bytes(1));
    EXPECT_EQ(there_and_back(alive{7}).every_ns, 7);
    EXPECT_EQ(there_and_back(operation_begun{operation_kind::end}).what, operation_kind::end);
}

TEST(wire, refuses_what_does_not_fit) {
    const bytes whole = write_message({1, 0, stolen_tasks{{{1, 2, some_bytes(30)}}}});
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THROW(read_message({whole.data(), size}, 0), std::runtime_error) << size;
    bytes longer = whole;
    longer.push_back({});
    EXPECT_THROW(read_message(longer, 0), std::runtime_error);
    bytes unknown = whole;
    unknown[0] = std::byte{99};
    EXPECT_THROW(read_message(unknown, 0), std::runtime_error);
}

// ---- the virtual network

// Keeps what arrives.
struct listener : virtual_process {
    explicit listener(transport& from) : over(from) {}
    void act() override {
        while (auto m = over.poll())
            arrived.emplace_back(over.now(), std::move(*m));
    }
    transport& over;
    std::vector<std::pair<time_ns, message>> arrived;
};

std::vector<std::pair<int, std::int64_t>> order_of_arrival(std::uint64_t seed) {
    virtual_network network(4, {.jitter = 50'000, .seed = seed});
    listener at_0(network.at(0));
    network.attach(0, at_0);
    for (std::int64_t i = 0; i < 20; ++i)
        for (int from = 1; from < 4; ++from)
            network.at(from).send(0, {0, 0, bound_found{i, from}});
    while (network.step()) {
    }
    std::vector<std::pair<int, std::int64_t>> order;
    for (const auto& [time, m] : at_0.arrived)
        order.emplace_back(m.from, std::get<bound_found>(m.body).value);
    return order;
}

TEST(virtual_network, keeps_the_order_of_a_pair_only) {
    const auto order = order_of_arrival(1);
    ASSERT_EQ(order.size(), 60u);
    std::map<int, std::int64_t> next;
    int changes = 0, before = 0;
    for (const auto& [from, number] : order) {
        EXPECT_EQ(number, next[from]++);
        changes += from != before;
        before = from;
    }
    EXPECT_GT(changes, 4);
    EXPECT_EQ(order, order_of_arrival(1));  // by its seed
    EXPECT_NE(order, order_of_arrival(2));
}

TEST(virtual_network, keeps_an_agent_busy_with_each_message) {
    virtual_network network(3, {.receive_cost = 500});
    listener at_0(network.at(0));
    network.attach(0, at_0);
    for (int i = 0; i < 5; ++i)
        network.at(1 + i % 2).send(0, {0, 0, alive{}});
    while (network.step()) {
    }
    ASSERT_EQ(at_0.arrived.size(), 5u);
    EXPECT_GE(at_0.arrived[4].first, 1'000 + 4 * 500);
    EXPECT_LE(at_0.arrived[4].first, 1'010 + 4 * 500);
}

// ---- delays

TEST(delayed_transport, holds_one_link_back) {
    virtual_network network(3, {});
    struct late_listener : virtual_process {
        explicit late_listener(virtual_network& n) : network(n), over(n.at(0), {0, 5'000'000, 0}) {}
        void act() override {
            while (auto m = over.poll())
                arrived.emplace_back(over.now(), m->from);
            if (over.next_due() != never)
                network.wake_at(0, over.next_due());
        }
        virtual_network& network;
        delayed_transport over;
        std::vector<std::pair<time_ns, int>> arrived;
    } at_0(network);
    network.attach(0, at_0);
    network.at(1).send(0, {0, 0, alive{}});
    network.at(1).send(0, {0, 0, alive{}});
    network.at(2).send(0, {0, 0, alive{}});
    while (network.step()) {
    }
    EXPECT_EQ(at_0.arrived,
              (std::vector<std::pair<time_ns, int>>{{1'000, 2}, {5'001'000, 1}, {5'001'001, 1}}));
}

// ---- epochs

TEST(epoch_channel, drops_the_past_and_keeps_the_future) {
    virtual_network network(2, {});
    listener nobody(network.at(1));
    network.attach(1, nobody);
    struct reader : virtual_process {
        void act() override {
            while (auto m = channel->poll())
                values.push_back(std::get<bound_found>(m->body).value);
        }
        epoch_channel* channel;
        std::vector<std::int64_t> values;
    } at_0;
    epoch_channel channel(network.at(0));
    at_0.channel = &channel;
    network.attach(0, at_0);
    channel.next_epoch();  // 1
    for (const std::uint32_t epoch : {2u, 0u, 1u, 3u, 1u, 2u})
        network.at(1).send(0, {epoch, 0, bound_found{epoch, 0}});
    while (network.step()) {
    }
    EXPECT_EQ(at_0.values, (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(channel.dropped(), 1u);
    EXPECT_EQ(channel.received_before(), 4u);
    channel.next_epoch();
    at_0.act();
    EXPECT_EQ(at_0.values, (std::vector<std::int64_t>{1, 1, 2, 2}));
    channel.next_epoch();
    at_0.act();
    EXPECT_EQ(at_0.values, (std::vector<std::int64_t>{1, 1, 2, 2, 3}));
    EXPECT_EQ(channel.dropped(), 1u);
}

// ---- reductions

void add(bytes& into, const bytes& from) {
    wire_writer sum;
    sum.put(wire_reader(into).get<std::uint64_t>() + wire_reader(from).get<std::uint64_t>());
    into = sum.take();
}

struct merge_sums : merge_at_once {
    merge_sums() : merge_at_once(add) {}
};

template <class Merger = merge_sums>
std::vector<std::uint64_t> sums(int size, std::uint64_t seed) {
    virtual_network network(size, {.jitter = 30'000, .seed = seed});
    std::deque<virtual_rank> ranks;
    std::vector<std::uint64_t> results;
    std::deque<Merger> mergers;
    std::deque<std::pair<int, reduction*>> running(static_cast<std::size_t>(size));
    for (int r = 0; r < size; ++r) {
        auto& mine = running[static_cast<std::size_t>(r)];
        auto& merges = mergers.emplace_back();
        ranks.emplace_back(network, network.at(r),
                           [&, r](epoch_channel& channel) -> std::unique_ptr<operation> {
                               if (mine.second)
                                   results.push_back(wire_reader(mine.second->take()).get<std::uint64_t>());
                               if (mine.first++ == 2)
                                   return nullptr;
                               wire_writer to;
                               to.put(static_cast<std::uint64_t>(r + mine.first * 1'000));
                               auto next = std::make_unique<reduction>(channel, to.take(), merges);
                               mine.second = next.get();
                               return next;
                           });
    }
    while (network.step()) {
    }
    return results;
}

TEST(reduction, gives_all_ranks_the_sum) {
    for (const int size : {1, 2, 3, 8, 33}) {
        auto results = sums(size, 4);
        ASSERT_EQ(results.size(), 2u * static_cast<std::size_t>(size));
        const auto n = static_cast<std::uint64_t>(size);
        std::map<std::uint64_t, std::size_t> times;
        for (const std::uint64_t s : results)
            ++times[s];
        EXPECT_EQ(times[n * (n - 1) / 2 + 1'000 * n], n);
        EXPECT_EQ(times[n * (n - 1) / 2 + 2'000 * n], n);
    }
}

// Merges are done elsewhere: each is there at the third question.
class slow_merger final : public merger {
public:
    void begin_merge(bytes into, bytes from) override {
        EXPECT_EQ(questions_, 0) << "one at a time";
        add(into, from);
        merged_ = std::move(into);
        questions_ = 1;
    }
    std::optional<bytes> take_merged() override {
        if (questions_ == 0 || questions_++ < 3)
            return std::nullopt;
        questions_ = 0;
        return std::move(merged_);
    }

private:
    bytes merged_;
    int questions_ = 0;
};

TEST(reduction, waits_for_merges_that_are_done_elsewhere) {
    for (const int size : {1, 2, 3, 8}) {
        const auto n = static_cast<std::uint64_t>(size);
        const auto results = sums<slow_merger>(size, 4);
        ASSERT_EQ(results.size(), 2 * n);
        for (const std::uint64_t s : results)
            EXPECT_EQ(s % 1'000, n * (n - 1) / 2);
    }
}

// ---- the watch

TEST(ring_watch, names_the_rank_before_as_lost) {
    const parameters with;
    ring_watch watch(0, 4, with);
    EXPECT_EQ(watch.next(), 1);
    EXPECT_EQ(watch.before(), 3);
    watch.begin();
    EXPECT_TRUE(watch.is_send_due(0));
    EXPECT_FALSE(watch.is_send_due(1_s - 1));
    EXPECT_TRUE(watch.is_send_due(1_s));
    EXPECT_FALSE(watch.is_lost(100_s));  // it has not come yet
    watch.heard(100_s);
    EXPECT_FALSE(watch.is_lost(104_s));
    EXPECT_FALSE(watch.is_lost(108_s));
    EXPECT_TRUE(watch.is_lost(108_s + 1));
    watch.begin();
    EXPECT_FALSE(watch.is_lost(200_s));
}

// The rank itself was stopped for 20 s: what the one before has told it may still be unread.
TEST(ring_watch, waits_anew_after_a_stop) {
    ring_watch watch(0, 4, {});
    watch.begin();
    watch.heard(100_s);
    EXPECT_FALSE(watch.is_lost(101_s));
    EXPECT_FALSE(watch.is_lost(121_s));
    EXPECT_FALSE(watch.is_lost(125_s));
    EXPECT_FALSE(watch.is_lost(129_s));
    EXPECT_TRUE(watch.is_lost(129_s + 1));
}

TEST(ring_watch, waits_for_two_signs_of_a_rank_that_sends_them_seldom) {
    parameters with;
    with.lost_after = 1_s;
    ring_watch watch(0, 4, with);
    watch.heard(0);
    watch.heard_alive(1_s);
    EXPECT_FALSE(watch.is_lost(1_s));
    EXPECT_FALSE(watch.is_lost(2_s));
    EXPECT_TRUE(watch.is_lost(2_s + 1));
}

TEST(ring_watch, of_one_rank_is_silent) {
    ring_watch watch(0, 1, {});
    watch.begin();
    EXPECT_FALSE(watch.is_send_due(10_s));
}

}  // namespace
