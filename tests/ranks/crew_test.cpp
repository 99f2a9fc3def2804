// The hand-over between a program and its agent, over a transport that is no network.

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "cluster/session.h"
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

}  // namespace
