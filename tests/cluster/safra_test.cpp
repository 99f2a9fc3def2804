// Safra's ring alone: scripted scenarios, and random runs in which messages are under way for as long as they like.

#include <deque>
#include <gtest/gtest.h>

#include "cluster/random.h"
#include "cluster/safra.h"

namespace {

using namespace bough::cluster;
using verb = safra::step::verb;

TEST(safra, one_rank_is_over_when_passive) {
    safra ring(0, 1);
    EXPECT_EQ(ring.next(false, true).what, verb::nothing);
    EXPECT_EQ(ring.next(true, false).what, verb::over);
}

TEST(safra, a_white_round_ends_the_search) {
    safra a(0, 2), b(1, 2);
    const auto first = a.next(true, true);
    ASSERT_EQ(first.what, verb::pass);
    EXPECT_EQ(first.to, 1);
    EXPECT_EQ(a.next(true, true).what, verb::nothing);  // it has no token
    b.take_token(first.token);
    EXPECT_EQ(b.next(false, true).what, verb::nothing);  // active: it keeps the token
    const auto second = b.next(true, true);
    ASSERT_EQ(second.what, verb::pass);
    EXPECT_EQ(second.to, 0);
    a.take_token(second.token);
    EXPECT_EQ(a.next(true, false).what, verb::over);
}

// A sends B a task, B finishes it before the token comes: one round fails by colour, the next one succeeds.
TEST(safra, a_receiver_blackens_one_round) {
    safra a(0, 2), b(1, 2);
    a.sent();
    b.received();
    b.take_token(a.next(true, true).token);
    const auto black = b.next(true, true);
    EXPECT_TRUE(black.token.black);
    EXPECT_EQ(black.token.count, -1);
    a.take_token(black.token);
    EXPECT_EQ(a.next(true, false).what, verb::nothing);  // it may not start yet
    b.take_token(a.next(true, true).token);
    a.take_token(b.next(true, true).token);
    EXPECT_EQ(a.next(true, true).what, verb::over);
}

// The message is under way for the whole round: colours are white, the sum is not zero.
TEST(safra, a_message_under_way_is_counted) {
    safra a(0, 2), b(1, 2);
    a.sent();
    b.take_token(a.next(true, true).token);
    a.take_token(b.next(true, true).token);
    EXPECT_EQ(a.next(true, false).what, verb::nothing);
}

// Ranks that are active for a random time, send tasks while they are, and pass the token when passive. Links deliver in
// order, at random times.
class random_ring {
public:
    struct faults {
        bool reply_not_counted = false;
        bool receiver_stays_white = false;
        bool passes_while_active = false;
    };

    random_ring(std::uint64_t seed, faults with) : random_(seed), with_(with) {
        size_ = 2 + static_cast<int>(random_.below(4));
        for (int r = 0; r < size_; ++r)
            ranks_.push_back({safra(r, size_), r == 0});
        links_.resize(static_cast<std::size_t>(size_ * size_));
        tasks_left_ = random_.below(30);
    }

    enum class end { right, too_early, never };
    end run() {
        for (int step = 0; step < 100'000; ++step) {
            const int r = static_cast<int>(random_.below(static_cast<std::uint32_t>(size_)));
            if (act(r))
                return is_all_quiet() ? end::right : end::too_early;
        }
        return end::never;
    }

private:
    struct one {
        safra ring;
        bool active;
    };
    struct letter {
        bool is_token;
        safra_token token;
    };

    std::deque<letter>& link(int from, int to) { return links_[static_cast<std::size_t>(from * size_ + to)]; }

    // True: this rank says that all is over.
    bool act(int r) {
        one& me = ranks_[static_cast<std::size_t>(r)];
        const int other = static_cast<int>(random_.below(static_cast<std::uint32_t>(size_)));
        switch (random_.below(4)) {
        case 0:
            receive(me, link(other, r));
            return false;
        case 1:
            if (me.active && tasks_left_ > 0 && other != r) {
                --tasks_left_;
                if (!with_.reply_not_counted)
                    me.ring.sent();
                link(r, other).push_back({false, {}});
            }
            return false;
        case 2:
            if (random_.below(4) == 0)
                me.active = false;
            return false;
        default: {
            auto step = me.ring.next(!me.active || with_.passes_while_active, true);
            if (with_.receiver_stays_white && r != 0)
                step.token.black = false;
            if (step.what == verb::pass)
                link(r, step.to).push_back({true, step.token});
            return step.what == verb::over;
        }
        }
    }
    void receive(one& me, std::deque<letter>& from) {
        if (from.empty())
            return;
        const letter l = from.front();
        from.pop_front();
        if (l.is_token) {
            me.ring.take_token(l.token);
            return;
        }
        me.active = true;
        if (!with_.reply_not_counted)
            me.ring.received();
    }
    bool is_all_quiet() const {
        for (const one& r : ranks_)
            if (r.active)
                return false;
        for (const auto& l : links_)
            for (const letter& letter_under_way : l)
                if (!letter_under_way.is_token)
                    return false;
        return true;
    }

    random_numbers random_;
    faults with_;
    int size_;
    std::deque<one> ranks_;
    std::deque<std::deque<letter>> links_;
    std::uint32_t tasks_left_;
};

int early_ends(random_ring::faults with, std::uint64_t seeds = 2'000) {
    int early = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        const auto end = random_ring(seed, with).run();
        EXPECT_NE(end, random_ring::end::never) << "seed " << seed;
        early += end == random_ring::end::too_early;
    }
    return early;
}

TEST(safra, never_ends_too_early) {
    EXPECT_EQ(early_ends({}), 0);
}

TEST(safra, a_reply_that_is_not_counted_is_caught) {
    EXPECT_GT(early_ends({.reply_not_counted = true}), 20);
}
// It takes four ranks in a certain order: one run in some thousands.
TEST(safra, a_receiver_that_stays_white_is_caught) {
    EXPECT_GT(early_ends({.receiver_stays_white = true}, 20'000), 0);
}
TEST(safra, a_token_passed_while_active_is_caught) {
    EXPECT_GT(early_ends({.passes_while_active = true}), 20);
}

}  // namespace
