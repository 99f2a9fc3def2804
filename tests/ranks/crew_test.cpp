// The hand-over between a program and its agent, over a transport that is no network.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <thread>
#include <utility>
#include <variant>

#include "cluster/session.h"
#include "cluster/wire.h"
#include "search/crew.h"
#include "support/patience.h"

namespace {

using bough::search::crew;
using bough::search::ranks;
namespace cluster = bough::cluster;

// One rank alone. What it sent is out when the agent has looked often enough; without a look it never is.
class slow_transport final : public cluster::transport {
public:
    explicit slow_transport(int looks) : looks_left_(looks) {}
    int rank() const override { return 0; }
    int size() const override { return 1; }
    cluster::time_ns now() const override { return 0; }
    void send(int, cluster::message) override {}
    std::optional<cluster::message> poll() override { return std::nullopt; }
    bool is_sending() override {
        ++looks_;
        return looks_left_ > 0 && --looks_left_ > 0;
    }
    bool is_out() const { return looks_left_ == 0; }
    int looks() const { return looks_; }

private:
    std::atomic<int> looks_left_;
    std::atomic<int> looks_{0};
};

TEST(crew, sends_go_on_while_the_program_computes) {
    slow_transport over(20);
    cluster::session session(over);
    crew all(session, over);
    all.run([&](ranks&) {
        EXPECT_TRUE(bough_test::comes_true([&] { return over.is_out(); }));
        return 0;
    });
}

TEST(crew, sleeps_when_all_is_out) {
    slow_transport over(5);
    cluster::session session(over);
    crew all(session, over);
    all.run([&](ranks&) {
        EXPECT_TRUE(bough_test::comes_true([&] { return over.is_out(); }));
        const int looks = over.looks();
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        EXPECT_EQ(over.looks(), looks);
        return 0;
    });
}

TEST(crew, a_wish_comes_before_sends_that_do_not_end) {
    slow_transport over(1'000'000'000);
    cluster::session session(over);
    crew all(session, over);
    EXPECT_EQ(all.run([&](ranks& r) { return r.broadcast("all").size() == 3 ? 7 : 0; }), 7);
}

// Rank 0 of two. Rank 1 gives one value, and ends.
class with_one_other final : public cluster::transport {
public:
    with_one_other() {
        using cluster::operation_kind;
        says(0, operation_kind::reduction, {std::byte{1}});
        says(1, operation_kind::end, {});
        cluster::wire_writer counts;  // of messages to rank 0 and 1
        counts.put(std::uint64_t{said_.size()});
        counts.put(std::uint64_t{0});
        says(2, operation_kind::end, counts.take());
    }
    int rank() const override { return 0; }
    int size() const override { return 2; }
    cluster::time_ns now() const override {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    void send(int, cluster::message m) override { signs_ += std::holds_alternative<cluster::alive>(m.body); }
    std::optional<cluster::message> poll() override {
        if (said_.empty())
            return std::nullopt;
        auto m = std::move(said_.front());
        said_.pop_front();
        return m;
    }
    int signs() const { return signs_; }

private:
    void says(std::uint32_t epoch, cluster::operation_kind what, cluster::bytes value) {
        said_.push_back({epoch, 1, cluster::operation_begun{what}});
        said_.push_back({epoch, 1, cluster::partial_result{std::move(value)}});
    }

    std::deque<cluster::message> said_;
    std::atomic<int> signs_{0};
};

TEST(crew, shows_life_while_the_program_merges) {
    with_one_other over;
    cluster::parameters with;
    with.alive_every = 1'000'000;
    cluster::session session(over, with);
    crew all(session, over);
    all.run([&](ranks& r) {
        const auto program = std::this_thread::get_id();
        const auto merged = r.together({}).outside->merge({std::byte{2}}, [&](auto& into, const auto& from) {
            EXPECT_EQ(std::this_thread::get_id(), program);
            const int signs = over.signs();
            EXPECT_TRUE(bough_test::comes_true([&] { return over.signs() > signs + 2; }));
            into.insert(into.end(), from.begin(), from.end());
        });
        EXPECT_EQ(merged, (cluster::bytes{std::byte{2}, std::byte{1}}));
        return 0;
    });
}

}  // namespace
