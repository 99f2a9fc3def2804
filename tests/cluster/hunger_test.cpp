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

template <class Locality>
unsigned hungry(std::size_t queued, std::size_t run) {
    virtual_network network(2, {});
    epoch_channel channel(network.at(0));
    worker_mail mail;
    listening_policy policy;
    Locality work;
    work.queued = queued;
    work.run = run;
    agent search(channel, work, mail, policy);
    search.act();
    return policy.heard;
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
    virtual_network network(2, {});
    epoch_channel channel(network.at(0));
    worker_mail mail;
    listening_policy policy;
    locality_that_knows work;
    agent search(channel, work, mail, policy);
    message question{0, 1, statistics_request{}};
    search.handle(question);
    EXPECT_EQ(work.wanted, 1u);
    work.queued = 3;  // too few for the policy: it asks again
    search.handle(question);
    EXPECT_EQ(work.wanted, 4u);
}

// Else a stolen task travels from rank to rank, and none has a worker awake in time to run it.
TEST(hunger, keeps_a_stolen_task_until_a_worker_has_begun_it) {
    virtual_network network(2, {});
    epoch_channel channel(network.at(0));
    worker_mail mail;
    stealing_policy policy;
    locality_that_knows work;
    agent search(channel, work, mail, policy);
    const auto receive = [&](message_body body) {
        message m{0, 1, std::move(body)};
        search.handle(m);
    };
    const auto given = [&] { return search.counters().tasks_given; };
    search.act();
    receive(stolen_tasks{{packed_task{}}});
    receive(steal_request{5});
    EXPECT_EQ(given(), 0u);
    work.queued += 4;  // spawned here: half of all may go
    receive(steal_request{5});
    EXPECT_EQ(given(), 3u);
    work.queued = 1;
    receive(steal_request{5});
    EXPECT_EQ(given(), 3u);
    work.run = 4;  // no worker is idle
    receive(steal_request{5});
    EXPECT_EQ(given(), 4u);
}

// Else the task waits for a worker that may never come, while other ranks starve.
TEST(hunger, keeps_a_stolen_task_for_the_time_of_a_wake_up_only) {
    struct nobody : virtual_process {
        void act() override {}
    } process;
    virtual_network network(2, {});
    network.attach(0, process);
    network.attach(1, process);
    epoch_channel channel(network.at(0));
    worker_mail mail;
    stealing_policy policy;
    locality_that_knows work;
    agent search(channel, work, mail, policy);
    search.act();
    message arrival{0, 1, stolen_tasks{{packed_task{}}}};
    search.handle(arrival);
    network.set_timer(0, 2'000'000, 1);
    while (network.step()) {
    }
    message request{0, 1, steal_request{5}};
    search.handle(request);
    EXPECT_EQ(search.counters().tasks_given, 1u);
}

}  // namespace
