// For how many workers an agent looks for tasks, and which tasks it keeps for them.

#include <gtest/gtest.h>
#include <utility>

#include "cluster/agent.h"
#include "cluster/virtual_network.h"

namespace {

using namespace bough::cluster;

class locality_that_knows : public local_work {
public:
    std::size_t tasks() const override { return queued; }
    std::size_t running() const override { return run; }
    void take_shallowest(std::size_t most, std::vector<packed_task>& out) override {
        for (; most > 0 && queued > 0; --most, --queued)
            out.emplace_back();
    }
    void want(std::size_t tasks) override { wanted = tasks; }
    void put(packed_task) override { ++queued; }
    bool is_idle() const override { return false; }
    double rate() const override { return 1; }
    unsigned workers() const override { return 4; }
    void take_bound(std::int64_t) override {}
    void stop() override {}

    std::size_t queued = 0;
    std::size_t run = 0;
    std::size_t wanted = 0;
};

class locality_that_does_not final : public locality_that_knows {
    std::size_t running() const override { return local_work::running(); }
};

class listening_policy final : public victim_policy {
public:
    order next(time_ns, unsigned hungry) override {
        heard = hungry;
        return {};
    }
    void answered(int, bool, time_ns) override {}
    time_ns wake(unsigned) const override { return never; }
    unsigned heard = 99;
};

// Steals once.
class stealing_policy final : public victim_policy {
public:
    order next(time_ns, unsigned) override {
        return std::exchange(steals_, false) ? order{order::verb::steal, 1} : order{};
    }
    void answered(int, bool, time_ns) override {}
    time_ns wake(unsigned) const override { return never; }

private:
    bool steals_ = true;
};

// Rank 0 of two, of which rank 1 sends what a test says.
template <class Policy, class Locality = locality_that_knows>
struct first_of_two {
    void receive(message_body body) {
        message m{0, 1, std::move(body)};
        search.handle(m);
    }

    virtual_network network{2, {}};
    epoch_channel channel{network.at(0)};
    worker_mail mail;
    Policy policy;
    Locality work;
    agent search{channel, work, mail, policy};
};

template <class Locality>
unsigned hungry(std::size_t queued, std::size_t run) {
    first_of_two<listening_policy, Locality> rank;
    rank.work.queued = queued;
    rank.work.run = run;
    rank.search.act();
    return rank.policy.heard;
}

TEST(hunger, is_of_workers_that_find_no_task) {
    EXPECT_EQ(hungry<locality_that_knows>(0, 0), 4u);
    EXPECT_EQ(hungry<locality_that_knows>(1, 0), 3u);  // a worker is about to take it
    EXPECT_EQ(hungry<locality_that_knows>(1, 2), 1u);
    EXPECT_EQ(hungry<locality_that_knows>(0, 4), 0u);
    EXPECT_EQ(hungry<locality_that_knows>(9, 1), 0u);
}

// Else two ranks whose workers are all busy would steal the same task from each other for ever.
TEST(hunger, that_is_not_known_ends_with_one_task_in_the_pool) {
    EXPECT_EQ(hungry<locality_that_does_not>(0, 0), 1u);
    EXPECT_EQ(hungry<locality_that_does_not>(1, 0), 0u);
}

// Else a locality that makes tasks as they are wanted makes none for ranks that ask first, and these never steal.
TEST(hunger, of_a_rank_that_asks_is_heard) {
    first_of_two<listening_policy> rank;
    rank.receive(statistics_request{});
    EXPECT_EQ(rank.work.wanted, 1u);
    rank.work.queued = 3;  // too few for the policy: it asks again
    rank.receive(statistics_request{});
    EXPECT_EQ(rank.work.wanted, 4u);
}

// Else a stolen task travels from rank to rank, and none has a worker awake in time to run it.
TEST(hunger, keeps_a_stolen_task_until_a_worker_has_begun_it) {
    first_of_two<stealing_policy> rank;
    const auto given = [&] { return rank.search.counters().tasks_given; };
    rank.search.act();
    rank.receive(stolen_tasks{{packed_task{}}});
    rank.receive(steal_request{5});
    EXPECT_EQ(given(), 0u);
    rank.work.queued += 4;  // spawned here: half of all may go
    rank.receive(steal_request{5});
    EXPECT_EQ(given(), 3u);
    rank.work.queued = 1;
    rank.receive(steal_request{5});
    EXPECT_EQ(given(), 3u);
    rank.work.run = 4;  // no worker is idle
    rank.receive(steal_request{5});
    EXPECT_EQ(given(), 4u);
}

// Else the task waits for a worker that may never come, while other ranks starve.
TEST(hunger, keeps_a_stolen_task_for_the_time_of_a_wake_up_only) {
    struct nobody : virtual_process {
        void act() override {}
    } process;
    first_of_two<stealing_policy> rank;
    rank.network.attach(0, process);
    rank.network.attach(1, process);
    rank.search.act();
    rank.receive(stolen_tasks{{packed_task{}}});
    rank.network.set_timer(0, 2'000'000, 1);
    while (rank.network.step()) {
    }
    rank.receive(steal_request{5});
    EXPECT_EQ(rank.search.counters().tasks_given, 1u);
}

}  // namespace
