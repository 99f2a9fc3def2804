// Whether a worker stays, over all snapshots: what worker/decide.h promises of its answers, and each reason alone.

#include "worker/decide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace {

using bough::leaving::decide;
using bough::leaving::decision;
using bough::leaving::leaves;
using bough::leaving::limits_alone;
using bough::leaving::reason;
using bough::leaving::snapshot;
using bough::leaving::takes;

// More of each number than 2 makes no difference that decide() could see.
constexpr unsigned numbers = 4;
constexpr std::array flags{
    &snapshot::is_in_lent_slot,     &snapshot::stands_in,       &snapshot::is_requested_elsewhere,
    &snapshot::is_abandoned,        &snapshot::is_slot_awaited, &snapshot::has_spare_slot,
    &snapshot::has_abandoned_slot,  &snapshot::has_enqueued,    &snapshot::is_dismissing,
    &snapshot::is_requested_higher, &snapshot::is_turn_over};

// A new field stops this from compiling: it belongs into `flags` and `names`, or into each_snapshot()'s loops.
[[maybe_unused]] void knows_every_field(const snapshot& s) {
    [[maybe_unused]] const auto& [lent, stands_in, elsewhere, is_abandoned, awaited, spare, has_abandoned,
                                  enqueued, others, active, allowed, dismissing, higher, turn_over] = s;
}

// A new value makes the compiler warn here, and belongs into the count of every_answer_and_every_reason_occurs, too.
std::string text_of(reason why) {
    switch (why) {
    case reason::none:
        return "none";
    case reason::slot_awaited:
        return "slot awaited";
    case reason::requested_higher:
        return "requested higher";
    case reason::beyond_limit:
        return "beyond the limit";
    case reason::lent_slot:
        return "lent slot";
    case reason::dismissed:
        return "dismissed";
    case reason::abandoned_slot:
        return "abandoned slot";
    case reason::requested_elsewhere:
        return "requested elsewhere";
    case reason::turn_is_over:
        return "its turn is over";
    }
    return "unknown";
}

template <class F>
void each_snapshot(F&& f) {
    for (unsigned bits = 0; bits < 1U << flags.size(); ++bits) {
        snapshot s;
        for (unsigned i = 0; i < flags.size(); ++i)
            s.*flags[i] = (bits >> i & 1U) != 0;
        for (s.others = 0; s.others < numbers; ++s.others)
            for (s.active = 1; s.active < numbers; ++s.active)
                for (s.allowed = 0; s.allowed < numbers; ++s.allowed)
                    f(s);
    }
}

std::string text_of(const snapshot& s) {
    std::string text;
    constexpr std::array<const char*, flags.size()> names{
        "in-lent-slot",     "stands-in",    "requested-elsewhere",
        "abandoned",        "slot-awaited", "spare-slot",
        "abandoned-slot",   "enqueued",     "dismissing",
        "requested-higher", "turn-over"};
    for (unsigned i = 0; i < flags.size(); ++i)
        if (s.*flags[i])
            text += std::string(names[i]) + ' ';
    return text + "others " + std::to_string(s.others) + " active " + std::to_string(s.active) + " allowed " +
           std::to_string(s.allowed);
}

// holds(snapshot), wherever it applies; at least once.
template <class Applies, class Holds>
void expect_wherever(Applies&& applies, Holds&& holds) {
    unsigned seen = 0, wrong = 0;
    each_snapshot([&](const snapshot& s) {
        if (!applies(s))
            return;
        ++seen;
        if (!holds(s) && ++wrong < 5)
            ADD_FAILURE() << text_of(s) << ": takes " << static_cast<int>(decide(s).takes) << ", leaves "
                          << static_cast<int>(decide(s).leaves) << ", reason " << text_of(decide(s).why);
    });
    EXPECT_EQ(wrong, 0U);
    EXPECT_NE(seen, 0U);
}

bool is_excess(const snapshot& s) {
    return s.active > s.allowed;
}
bool is_last(const snapshot& s) {
    return s.others == 0 && s.has_enqueued && !s.has_abandoned_slot;
}

bool goes(const snapshot& s) {
    return decide(s).takes == takes::nothing;
}
bool takes_everything(const snapshot& s) {
    return decide(s).takes == takes::everything;
}
bool leaves_whatever_is_published(const snapshot& s) {
    return decide(s).leaves == leaves::always;
}
bool any(const snapshot&) {
    return true;
}

TEST(decide, a_reason_is_given_wherever_a_worker_does_not_just_stay) {
    expect_wherever(any, [](const snapshot& s) {
        const decision d = decide(s);
        return (d.takes == takes::everything && d.leaves == leaves::in_time) == (d.why == reason::none);
    });
}

TEST(decide, every_answer_and_every_reason_occurs) {
    std::set<std::pair<takes, leaves>> answers;
    std::set<reason> reasons;
    each_snapshot([&](const snapshot& s) {
        answers.emplace(decide(s).takes, decide(s).leaves);
        reasons.insert(decide(s).why);
    });
    EXPECT_EQ(answers, (std::set<std::pair<takes, leaves>>{{takes::everything, leaves::in_time},
                                                           {takes::everything, leaves::when_idle},
                                                           {takes::everything, leaves::always},
                                                           {takes::enqueued, leaves::when_idle},
                                                           {takes::enqueued, leaves::always},
                                                           {takes::nothing, leaves::always}}));
    EXPECT_EQ(reasons.size(), static_cast<std::size_t>(reason::turn_is_over) + 1);
}

TEST(decide, who_takes_nothing_leaves_whatever_is_published) {
    expect_wherever(goes, leaves_whatever_is_published);
}

// Two that wait for each other, in two arenas, under a limit of one worker, would stand still.
TEST(decide, the_last_worker_never_leaves_what_is_enqueued_for_a_limit) {
    expect_wherever([](const snapshot& s) { return is_excess(s) && is_last(s); },
                    [](const snapshot& s) { return !goes(s) && !leaves_whatever_is_published(s); });
}

TEST(decide, the_one_worker_that_comes_whatever_the_limit_takes_what_is_enqueued) {
    expect_wherever([](const snapshot& s) { return s.allowed == 0 && s.active == 1; },
                    [](const snapshot& s) { return !goes(s); });
}

TEST(decide, beyond_the_limit_nothing_that_others_published_is_taken) {
    expect_wherever([](const snapshot& s) { return is_excess(s) && !s.is_abandoned; },
                    [](const snapshot& s) { return !takes_everything(s); });
}

TEST(decide, beyond_the_limit_no_slot_and_no_other_arena_makes_a_worker_go) {
    expect_wherever(is_excess, [](const snapshot& s) { return goes(limits_alone(s)) == goes(s); });
}

TEST(decide, no_limit_keeps_a_worker_from_what_is_left_in_an_abandoned_arena) {
    expect_wherever([](const snapshot& s) { return s.is_abandoned; },
                    [](const snapshot& s) { return decide(s).takes != takes::enqueued; });
}

TEST(decide, in_a_lent_slot_only_what_is_enqueued_is_taken_but_by_a_stand_in) {
    expect_wherever([](const snapshot& s) { return s.is_in_lent_slot && !s.is_abandoned && !s.stands_in; },
                    [](const snapshot& s) { return !takes_everything(s); });
    expect_wherever([](const snapshot& s) { return s.is_in_lent_slot && s.stands_in && !is_excess(s); },
                    [](const snapshot& s) { return takes_everything(s) || goes(s); });
}

TEST(decide, nobody_stays_where_a_slot_is_abandoned_or_workers_are_dismissed) {
    expect_wherever([](const snapshot& s) { return s.has_abandoned_slot; }, leaves_whatever_is_published);
    expect_wherever([](const snapshot& s) { return s.is_dismissing && !(is_excess(s) && is_last(s)); },
                    leaves_whatever_is_published);
}

TEST(decide, a_higher_priority_and_the_end_of_its_turn_call_a_worker_at_once) {
    expect_wherever([](const snapshot& s) { return s.is_requested_higher && !is_excess(s); }, goes);
    expect_wherever([](const snapshot& s) { return s.is_turn_over && !is_excess(s); }, goes);
}

TEST(decide, who_is_requested_elsewhere_leaves_nothing_that_can_be_had) {
    const auto is_free = [](const snapshot& s) {
        return !is_excess(s) && !s.is_in_lent_slot && !s.has_abandoned_slot && !s.is_dismissing &&
               !s.is_requested_higher && !s.is_turn_over;
    };
    expect_wherever([&](const snapshot& s) { return is_free(s) && !s.is_requested_elsewhere; },
                    [](const snapshot& s) { return decide(s).leaves == leaves::in_time; });
    expect_wherever([&](const snapshot& s) { return is_free(s) && s.is_requested_elsewhere; },
                    [](const snapshot& s) { return decide(s).leaves == leaves::when_idle; });
}

// The rules that stood in the worker's loop before decide(), as they were: no turn ended. Where the answer differs is
// named.
struct before {
    bool only_for_enqueued, must_go, must_go_at_once, over_limit, goes_all_the_same;
    explicit before(const snapshot& s)
        : only_for_enqueued(s.is_in_lent_slot && !s.stands_in),
          must_go(is_excess(s) || s.is_dismissing || only_for_enqueued || s.has_abandoned_slot ||
                  s.is_requested_higher),
          must_go_at_once(goes_at_once(s)),
          over_limit(!s.is_abandoned && (is_excess(s) || only_for_enqueued)),
          goes_all_the_same(must_go && !(is_excess(s) && is_last(s))) {}

    static bool goes_at_once(const snapshot& s) {
        if (s.is_in_lent_slot && s.is_slot_awaited && !s.has_spare_slot && !is_excess(s))
            return true;
        if (!is_excess(s))
            return s.allowed != 0 && s.is_requested_higher;
        return s.active > std::max(s.allowed, 1U) && !is_last(s);
    }
};

TEST(decide, answers_as_the_rules_that_it_replaced) {
    const auto is_in_its_turn = [](const snapshot& s) { return !s.is_turn_over; };
    expect_wherever(is_in_its_turn, [](const snapshot& s) { return goes(s) == before(s).must_go_at_once; });
    // A stand-in in a lent slot that an application thread waits for took nothing more, and yet did not go. There is no
    // such slot: an arena of an application thread's own that lends one has a spare one.
    const auto is_old = [](const snapshot& s) {
        return !s.is_turn_over && decide(s).why != reason::slot_awaited;
    };
    expect_wherever(is_old, [](const snapshot& s) {
        return leaves_whatever_is_published(s) == before(s).goes_all_the_same;
    });
    expect_wherever(is_old, [](const snapshot& s) {
        return (decide(s).leaves != leaves::in_time) == (before(s).must_go || s.is_requested_elsewhere);
    });
    // takes_nothing_new() does not ask in an abandoned arena, and leaves slots and priorities out.
    expect_wherever(
        [](const snapshot& s) { return !s.is_abandoned; },
        [](const snapshot& s) { return takes_everything(limits_alone(s)) == !before(s).over_limit; });
}

}  // namespace
