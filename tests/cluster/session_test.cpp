// One rank's session among others that follow a script, in virtual time: what it takes for a sign of life, what rank 0
// compares, and what is left over.

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>

#include "cluster/session.h"
#include "cluster/virtual_network.h"
#include "cluster/wire.h"

namespace {

using namespace bough::cluster;

// The session is of rank 0. Each look of its agent at the transport is one event of the network, and something happens
// every 100 ms.
class others final : public transport {
public:
    explicit others(int size) : network_(size, {}) {
        network_.attach(0, idle_);
        for (time_ns at = 0; at < 60_s; at += 100_ms)
            network_.set_timer(0, at, 0);
        for (int r = 1; r < size; ++r)
            network_.attach(r, ranks_.try_emplace(r, *this, r).first->second);
    }

    // ---- the script
    void sends(time_ns at, int from, std::uint32_t epoch, message_body body) {
        network_.set_timer(from, at, script_.size());
        script_.push_back({epoch, from, std::move(body)});
    }
    // What a rank sends in a reduction that it performs.
    void reduces(time_ns at, int from, std::uint32_t epoch, operation_kind what, bytes value = {}) {
        sends(at, from, epoch, operation_begun{what});
        sends(at + 1_ms, from, epoch, partial_result{std::move(value)});
    }
    std::function<bool(time_ns)> receives_until_later = [](time_ns) { return false; };
    std::function<bool(time_ns, int)> sends_until_later = [](time_ns, int) { return false; };

    // ---- what happened
    std::size_t read() const { return read_; }
    std::size_t sent() const { return script_.size(); }
    // Signs of life that the rank got.
    std::vector<time_ns> signs(int rank) const { return ranks_.at(rank).signs; }

    // ---- transport
    int rank() const override { return 0; }
    int size() const override { return network_.size(); }
    time_ns now() const override { return network_.now(); }
    void send(int to, message m) override { end().send(to, std::move(m)); }
    std::optional<message> poll() override {
        if (!network_.step())
            throw std::runtime_error("nothing will ever happen");
        auto m = end().poll();
        read_ += m.has_value();
        return m;
    }
    bool is_sending_to(int rank) override { return sends_until_later(now(), rank); }
    bool is_receiving() const override { return receives_until_later(now()); }

private:
    struct idle : virtual_process {
        void act() override {}
    };
    struct scripted final : virtual_process {
        scripted(others& all, int of) : all_(all), rank_(of) {}
        void act() override {
            transport& end = all_.network_.at(rank_);
            while (auto m = end.poll())
                if (std::holds_alternative<alive>(m->body))
                    signs.push_back(end.now());
        }
        void timer(std::uint64_t line) override { all_.network_.at(rank_).send(0, all_.script_[line]); }
        std::vector<time_ns> signs;

    private:
        others& all_;
        int rank_;
    };
    transport& end() { return network_.at(0); }

    virtual_network network_;
    idle idle_;
    std::map<int, scripted> ranks_;
    std::vector<message> script_;
    std::size_t read_ = 0;
};

// What the session's end by an exception says; empty: it did not end.
std::string said_by(const std::function<void()>& what) {
    try {
        what();
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return {};
}

std::string reduce(others& all) {
    session first(all);
    return said_by([&] { first.all_reduce({}, [](bytes&, const bytes&) {}); });
}

// ---- signs of life

// Its value comes after 30 s.
void is_silent(others& all) {
    all.sends(0, 1, 0, operation_begun{operation_kind::reduction});
    all.sends(1_ms, 1, 0, alive{1'000'000'000});
    all.sends(30_s, 1, 0, partial_result{});
}

TEST(session, misses_a_silent_rank) {
    others all(2);
    is_silent(all);
    EXPECT_EQ(reduce(all),
              "rank 0 has not heard from rank 1 for 8 s: it is lost or stopped, and the run ends");
}

TEST(session, misses_no_rank_while_a_message_comes) {
    others all(2);
    is_silent(all);
    all.receives_until_later = [](time_ns now) { return now > 2_s && now < 25_s; };
    EXPECT_EQ(reduce(all), "");
    EXPECT_GT(all.now(), 30_s);
}

// The watch goes on when the message is there.
TEST(session, misses_a_rank_that_is_silent_after_a_long_message) {
    others all(2);
    is_silent(all);
    all.receives_until_later = [](time_ns now) { return now > 2_s && now < 15_s; };
    EXPECT_NE(reduce(all), "");
    EXPECT_GT(all.now(), 23_s - 100_ms);
}

// Before any sign of life of the operation: it may be a rank that shows none yet.
TEST(session, waits_for_a_rank_that_has_not_begun_though_a_message_comes) {
    others all(2);
    all.receives_until_later = [](time_ns now) { return now > 2_s && now < 5_s; };
    all.reduces(30_s, 1, 0, operation_kind::reduction);
    EXPECT_EQ(reduce(all), "");
}

// Rank 2 has ended the operation, and rank 1 is late. The signs of rank 2 are of its next operation.
TEST(session, hears_a_rank_that_is_ahead) {
    for (const bool lives : {true, false}) {
        others all(3);
        all.reduces(0, 2, 0, operation_kind::reduction);
        for (int s = 0; s < (lives ? 30 : 3); ++s)
            all.sends(s * 1_s + 2_ms, 2, 1, alive{1'000'000'000});
        all.reduces(30_s, 1, 0, operation_kind::reduction);
        EXPECT_EQ(reduce(all).empty(), lives);
    }
}

// It sends them more seldom there: by its next operation's parameters.
TEST(session, waits_longer_for_a_rank_that_is_ahead_and_says_so) {
    others all(3);
    all.reduces(0, 2, 0, operation_kind::reduction);
    for (int s = 0; s < 30; s += 10)
        all.sends(s * 1_s + 2_ms, 2, 1, alive{10'000'000'000});
    all.reduces(30_s, 1, 0, operation_kind::reduction);
    EXPECT_EQ(reduce(all), "");
}

TEST(session, sends_no_sign_of_life_behind_what_has_not_left) {
    others all(3);
    for (int s = 0; s < 30; ++s)
        all.sends(s * 1_s, 2, 0, alive{1'000'000'000});
    all.sends_until_later = [](time_ns now, int rank) { return rank == 1 && now > 4500_ms && now < 20_s; };
    all.reduces(30_s, 1, 0, operation_kind::reduction);
    all.reduces(30_s, 2, 0, operation_kind::reduction);
    EXPECT_EQ(reduce(all), "");
    std::size_t before = 0, after = 0;
    for (const time_ns at : all.signs(1)) {
        EXPECT_TRUE(at < 5_s || at > 20_s) << at;
        ++(at < 5_s ? before : after);
    }
    EXPECT_EQ(before, 5u);
    EXPECT_GE(after, 9u);
}

// ---- what ranks perform

// Rank 3's value goes to rank 0 by way of rank 1, and is there before rank 3 has told rank 0 what it performs.
TEST(session, compares_all_ranks_before_an_operation_ends) {
    for (const auto what : {operation_kind::reduction, operation_kind::end}) {
        others all(4);
        all.reduces(0, 1, 0, operation_kind::reduction);
        all.reduces(0, 2, 0, operation_kind::reduction);
        all.sends(1_s, 3, 0, operation_begun{what});
        const std::string said = reduce(all);
        if (what == operation_kind::reduction) {
            EXPECT_EQ(said, "");
        } else {
            EXPECT_EQ(said, "rank 3 has ended while rank 0 broadcasts: all ranks make the same searches and "
                            "broadcasts, in the same order");
        }
        EXPECT_EQ(all.read(), all.sent());
    }
}

// All of the second operation comes while rank 0 is in the first one.
TEST(session, compares_what_came_before_its_operation) {
    others all(3);
    all.reduces(0, 1, 1, operation_kind::reduction);
    all.sends(0, 2, 1, operation_begun{operation_kind::end});
    all.reduces(1_s, 1, 0, operation_kind::reduction);
    all.reduces(1_s, 2, 0, operation_kind::reduction);
    session first(all);
    const merge_function nothing = [](bytes&, const bytes&) {};
    EXPECT_EQ(said_by([&] { first.all_reduce({}, nothing); }), "");
    EXPECT_EQ(said_by([&] { first.all_reduce({}, nothing); }).substr(0, 38),
              "rank 2 has ended while rank 0 broadcas");
}

// ---- the end

TEST(session, leaves_nothing_on_its_way_if_ranks_disagree) {
    others all(2);
    wire_writer complaint, counts;
    complaint.put(1);
    complaint.put_bytes({});
    all.reduces(0, 1, 0, operation_kind::reduction);
    all.reduces(10_ms, 1, 1, operation_kind::reduction, complaint.take());
    all.sends(2_s, 1, 1, alive{1'000'000'000});  // it has sent this before it heard the answer
    all.reduces(3_s, 1, 2, operation_kind::end);
    counts.put(std::uint64_t{all.sent()});  // to rank 0
    counts.put(std::uint64_t{0});
    all.reduces(4_s, 1, 3, operation_kind::end, counts.take());
    session first(all);
    EXPECT_EQ(said_by([&] { first.agree("--budget 5"); }),
              "the ranks were given different arguments\n  rank 0: --budget 5\n  rank 1: ");
    EXPECT_EQ(all.read(), all.sent());
}

}  // namespace
