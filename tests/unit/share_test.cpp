// The pure parts of distribution: team shape, pacing, idle set, seating, chunks.

#include <gtest/gtest.h>

#include <numeric>
#include <set>
#include <vector>

#include "arena/seating.h"
#include "share/chunk_order.h"
#include "share/idle_set.h"
#include "share/pacing.h"
#include "share/team.h"
#include "share/units_by_slot.h"

namespace bough {
namespace {

using detail::call_cost;

constexpr std::uint32_t most_children = 28;

// Units that each member ends up with, in a tree where every hand-off finds its member.
void distribute(std::uint32_t below, detail::unit units, const cut_rule& rule, unsigned depth,
                std::vector<detail::unit>* shares, unsigned* deepest) {
    *deepest = std::max(*deepest, depth);
    for (std::uint32_t children = most_children; below > 0; --children) {
        ASSERT_GE(children, 1u);
        const team_cut cut = next_child(below, units, rule, children);
        ASSERT_GE(cut.members, 1u);
        ASSERT_LE(cut.members, below);
        distribute(cut.members - 1, cut.units, rule, depth + 1, shares, deepest);
        below -= cut.members;
        units -= cut.units;
    }
    shares->push_back(units);
}

TEST(team, every_member_gets_an_even_share) {
    for (std::uint32_t team : {2u, 3u, 7u, 16u, 33u, 64u, 65u, 128u, 1024u}) {
        for (std::uint32_t fan_out : {2u, 3u, 8u, cut_rule::one_producer}) {
            std::vector<detail::unit> shares;
            unsigned deepest = 0;
            distribute(team - 1, 1'000'000, {fan_out}, 0, &shares, &deepest);
            EXPECT_EQ(shares.size(), team);
            EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), detail::unit{0}), 1'000'000u);
            for (const detail::unit s : shares)
                EXPECT_NEAR(static_cast<double>(s), 1e6 / team, 8.0) << team << ' ' << fan_out;
        }
    }
}

TEST(team, halving_reaches_the_last_member_in_log_steps) {
    std::vector<detail::unit> shares;
    unsigned deepest = 0;
    distribute(63, 64, {2}, 0, &shares, &deepest);
    EXPECT_EQ(deepest, 6u);
}

TEST(team, one_producer_hands_off_to_everybody) {
    for (const auto& [team, expected] : {std::pair{2u, 1u}, {29u, 1u}, {64u, 2u}}) {
        std::vector<detail::unit> shares;
        unsigned deepest = 0;
        distribute(team - 1, 6400, {cut_rule::one_producer}, 0, &shares, &deepest);
        EXPECT_EQ(deepest, expected) << team;
    }
}

TEST(team, even_mailing_halves_threads_and_range) {
    std::vector<detail::unit> shares;
    unsigned deepest = 0;
    distribute(3, 1600, {.fan_out = 2, .sixteenths = 8}, 0, &shares, &deepest);
    EXPECT_EQ(shares, (std::vector<detail::unit>{400, 400, 400, 400}));
    shares.clear();
    distribute(1, 1600, {.fan_out = 2, .sixteenths = 7}, 0, &shares, &deepest);
    EXPECT_EQ(shares, (std::vector<detail::unit>{700, 900}));  // the child's, the producer's: 9/16
}

TEST(team, shares_of_the_largest_range_do_not_overflow) {
    const team_cut cut = next_child(63, ~detail::unit{0}, {2}, most_children);
    EXPECT_EQ(cut.members, 32u);
    EXPECT_EQ(cut.units, ~detail::unit{0} / 2);
}

constexpr std::uint32_t plenty = 4000;
const call_cost cheap_calls = [] {
    call_cost calls;
    calls.saw(1, 1);
    return calls;
}();

// Runs a loop of `ticks_per_piece` up to well past the gate; returns the grain.
std::uint32_t grain_of(double ticks_per_piece) {
    pacing pace({1, 4095, 0}, 1000, 2500, 5000);
    machine::ticks now = 1000;
    double at = 1000;
    for (int i = 0; i < 40; ++i) {
        const std::uint32_t count = pace.batch();
        at += ticks_per_piece * count;
        now = static_cast<machine::ticks>(at);
        pace.ran(count, now, plenty, cheap_calls);
    }
    EXPECT_TRUE(pace.open());
    return pace.grain();
}

TEST(pacing, grain_follows_the_cost_of_an_iteration) {
    const std::uint32_t cheap = grain_of(5), dear = grain_of(5000);
    EXPECT_GE(cheap, 100 * dear);
    EXPECT_EQ(dear, 1u);
    EXPECT_NEAR(cheap, 1000, 300);
}

TEST(pacing, the_gate_opens_after_the_timespan_and_not_before) {
    pacing pace({1, 100, 0}, 0, 1000, 2000);
    pace.ran(1, 999, plenty, cheap_calls);
    EXPECT_FALSE(pace.open());
    pace.ran(1, 1000, plenty, cheap_calls);
    EXPECT_TRUE(pace.open());
    EXPECT_EQ(pace.grain(), 2u);
}

TEST(pacing, a_batch_leaves_pieces_for_every_thread) {
    pacing pace({50, 4, 0}, 0, 1000, 2000);
    EXPECT_EQ(pace.batch(), 4u);
    for (machine::ticks t = 1; t < 5000; t += 3) {
        pace.ran(4, t, 64, cheap_calls);
        EXPECT_LE(pace.batch(), 4u);
        EXPECT_GE(pace.batch(), 1u);
    }
}

TEST(pacing, all_batches_have_the_size_that_is_asked_for) {
    for (const double ticks_per_piece : {1.0, 100.0, 10'000.0}) {
        pacing pace(pacing::sizes::all(7), 0, 1000, 2000);
        double now = 0;
        for (std::uint32_t left = 7000; left != 0; left -= 7) {
            EXPECT_EQ(pace.batch(), 7u) << ticks_per_piece << " ticks each, " << left << " left";
            pace.ran(7, static_cast<machine::ticks>(now += 7 * ticks_per_piece), left - 7, cheap_calls);
        }
        EXPECT_TRUE(pace.open());
        EXPECT_GE(pace.grain(), 7u);
    }
}

TEST(pacing, a_sudden_rise_in_cost_shrinks_the_batch) {
    pacing pace({1, 4095, 0}, 0, 1000, 2000);
    machine::ticks now = 0;
    for (int i = 0; i < 20; ++i)
        pace.ran(pace.batch(), now += pace.batch(), plenty, cheap_calls);
    const std::uint32_t before = pace.batch();
    for (int i = 0; i < 10; ++i)
        pace.ran(pace.batch(), now += 1000 * pace.batch(), plenty, cheap_calls);
    EXPECT_LE(pace.batch() * 50, before);
}

// How many calls a loop of `units` makes, each costing so much beside its units; one thread, nobody else.
std::uint32_t calls_of(std::uint32_t units, machine::ticks call, double each, int interrupted_call = -1) {
    pacing pace({1, 4095, units / 64}, 0, 2500, 5000);
    call_cost calls;
    machine::ticks now = 0;
    std::uint32_t made = 0;
    for (std::uint32_t left = units; left != 0; ++made) {
        const std::uint32_t count = std::min(left, pace.batch());
        machine::ticks took = call + static_cast<machine::ticks>(each * count);
        if (static_cast<int>(made) == interrupted_call)
            took += 10'000'000;
        now += took;
        left -= count;
        calls.saw(count, took);
        pace.ran(count, now, left, calls);
    }
    return made;
}

TEST(call_cost, calls_that_cost_much_are_few) {
    EXPECT_LE(calls_of(4000, 1'000'000, 0), 64u);
    EXPECT_LE(calls_of(4000, 1'000'000, 100), 64u);
    EXPECT_LE(calls_of(4000, 10'000, 10), 64u);
    EXPECT_LE(calls_of(4000, 10'000, 1000), 200u);
}

TEST(call_cost, units_that_cost_much_come_one_by_one) {
    EXPECT_GE(calls_of(4000, 0, 1'000'000), 3000u);
    EXPECT_GE(calls_of(4000, 100, 100'000), 3000u);
}

TEST(call_cost, one_interrupted_call_does_not_deceive_for_long) {
    for (int k = 0; k < 10; ++k) {
        EXPECT_LE(calls_of(4000, 1'000'000, 100, k), 80u) << k;
        EXPECT_GE(calls_of(4000, 0, 1'000'000, k), 2800u) << k;
    }
}

TEST(call_cost, it_is_no_more_than_the_shortest_call) {
    call_cost calls;
    calls.saw(1, 1'000'000);
    calls.saw(10, 1'000'000);
    EXPECT_EQ(calls.matters(5000), 1'000'000u);
    calls.saw(10, 50);
    EXPECT_EQ(calls.matters(5000), 0u);
    EXPECT_EQ(calls.longer(10, 50, 5000), 0u);
}

TEST(call_cost, a_call_of_odd_size_between_two_others_does_not_hide_what_they_tell) {
    call_cost calls;
    for (const std::uint64_t units : {67, 48, 96})
        calls.saw(units, 1'000'000);
    EXPECT_EQ(calls.matters(5000), 1'000'000u);
}

TEST(idle_set, goes_round_from_the_caller) {
    idle_set set(130);
    for (const unsigned i : {3u, 64u, 70u, 129u})
        set.mark(i);
    const auto seen_from = [&](unsigned from) {
        std::vector<unsigned> seen;
        set.each(from, [&](unsigned i) {
            seen.push_back(i);
            return true;
        });
        return seen;
    };
    EXPECT_EQ(seen_from(0), (std::vector<unsigned>{3, 64, 70, 129}));
    EXPECT_EQ(seen_from(65), (std::vector<unsigned>{70, 129, 3, 64}));
    EXPECT_EQ(seen_from(129), (std::vector<unsigned>{129, 3, 64, 70}));
    set.clear(70);
    EXPECT_EQ(seen_from(65), (std::vector<unsigned>{129, 3, 64}));
    int calls = 0;
    set.each(0, [&](unsigned) { return ++calls < 2; });
    EXPECT_EQ(calls, 2);
}

TEST(idle_set, numbers_are_those_that_each_shows_without_the_first) {
    idle_set set(130);
    for (const unsigned i : {3u, 64u, 65u, 70u, 129u})
        set.mark(i);
    for (unsigned i = 80; i < 88; ++i)  // all of one word
        set.mark(i);
    for (unsigned from = 0; from < 130; ++from) {
        std::vector<std::uint16_t> shown;
        set.each(from, [&](unsigned i) {
            if (i != from)
                shown.push_back(static_cast<std::uint16_t>(i));
            return true;
        });
        for (std::uint32_t most = 0; most <= 14; ++most) {
            std::array<std::uint16_t, 15> there;
            there.fill(9999);
            const std::uint32_t n = set.numbers(from, from, there.data(), most);
            ASSERT_EQ(n, std::min<std::size_t>(most, shown.size())) << "from " << from;
            EXPECT_TRUE(std::equal(there.begin(), there.begin() + n, shown.begin())) << "from " << from;
            EXPECT_TRUE(std::all_of(there.begin() + n, there.end(), [](auto i) { return i == 9999; }));
        }
    }
    std::array<std::uint16_t, 5> there{};
    EXPECT_EQ(set.numbers(64, 70, there.data(), 5), 5u);  // from elsewhere
    EXPECT_EQ(there, (std::array<std::uint16_t, 5>{64, 65, 80, 81, 82}));
}

// 4 caches of 12 CPUs, and an arena whose first caller runs behind the second one.
TEST(seating, slots_stand_for_cpus_in_the_machines_order) {
    const seating arena{.first = 1, .slots = 47, .origin = 12, .places = 48};
    std::set<unsigned> slots;
    unsigned before = 0;
    for (unsigned i = 0; i < 48; ++i) {
        const unsigned slot = arena.slot_for((12 + i) % 48);
        EXPECT_GE(slot, std::max(before, 1u)) << i;
        EXPECT_LT(slot, 48u) << i;
        slots.insert(before = slot);
    }
    EXPECT_EQ(slots.size(), 47u);  // two CPUs share one: the caller has one of them
    EXPECT_EQ(arena.slot_for(12), 1u);
}

TEST(seating, small_and_large_arenas_have_a_slot_for_every_cpu) {
    for (const unsigned slots : {1u, 2u, 3u, 47u, 48u, 200u})
        for (unsigned place = 0; place < 48; ++place) {
            const unsigned slot = seating{2, slots, 36, 48}.slot_for(place);
            EXPECT_GE(slot, 2u);
            EXPECT_LT(slot, 2 + std::min(slots, 48u)) << "beyond the CPUs threads do not spin";
        }
}

// Chunks in the order in which they lie, and where each member's share begins.
struct ordered {
    std::vector<std::uint32_t> chunks, shares;
    bool as_before;
};

ordered order_of(const std::vector<std::uint16_t>& map, std::uint16_t caller,
                 const std::vector<std::uint16_t>& members) {
    chunk_order order;
    const auto chunks = static_cast<std::uint32_t>(map.size());
    ordered result{
        {},
        {},
        order.make(map.data(), chunks, caller, members.data(), static_cast<std::uint32_t>(members.size()))};
    EXPECT_EQ(order.has_shares(), result.as_before);
    for (std::uint32_t k = 0; k < chunks; ++k)
        result.chunks.push_back(order.at(k));
    for (std::uint32_t m = 0; m < members.size() && result.as_before; ++m)
        result.shares.push_back(order.share_begin(m));
    return result;
}
using list = std::vector<std::uint32_t>;

TEST(chunk_order, gives_each_member_what_it_ran) {
    const auto even = order_of({0, 0, 1, 1, 2, 2}, 0, {1, 2});
    EXPECT_EQ(even.chunks, (list{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(even.shares, (list{2, 4}));
    const auto mixed = order_of({2, 0, 1, 1, 0, 2, 2}, 0, {1, 2});
    EXPECT_EQ(mixed.chunks, (list{1, 4, 2, 3, 0, 5, 6}));
    EXPECT_EQ(mixed.shares, (list{2, 4}));
    const auto other_caller = order_of({0, 0, 0, 1}, 1, {0});
    EXPECT_EQ(other_caller.chunks, (list{3, 0, 1, 2}));
    EXPECT_EQ(other_caller.shares, (list{1}));
}

TEST(chunk_order, what_absent_slots_ran_goes_to_new_members_or_lies_behind_the_callers_own) {
    const auto moved = order_of({0, 0, 5, 5, 1, 1}, 0, {1, 3});
    EXPECT_EQ(moved.chunks, (list{0, 1, 4, 5, 2, 3}));
    EXPECT_EQ(moved.shares, (list{2, 4}));
    const auto fewer = order_of({7, 0, 5, 1, 7, 1}, 0, {1});
    EXPECT_EQ(fewer.chunks, (list{1, 0, 2, 4, 3, 5}));
    EXPECT_EQ(fewer.shares, (list{4}));
}

TEST(chunk_order, nobody_is_left_without_work) {
    EXPECT_FALSE(order_of({0, 0, 0, 0}, 0, {1}).as_before);
    EXPECT_FALSE(order_of({1, 1, 1, 1}, 0, {1}).as_before);
    EXPECT_FALSE(order_of({0, 4, 0, 0}, 0, {1, 2}).as_before);
    EXPECT_EQ(order_of({0, 0, 0, 0}, 0, {1}).chunks, (list{0, 1, 2, 3}));
}

TEST(chunk_order, any_map_gives_every_chunk_once) {
    for (const std::uint32_t threads : {2u, 5u, 64u}) {
        std::vector<std::uint16_t> map(16 * threads), members;
        for (std::size_t k = 0; k < map.size(); ++k)
            map[k] = static_cast<std::uint16_t>(k * 7919 % 31 % threads);
        for (std::uint32_t m = 1; m < threads; m += 2)
            members.push_back(static_cast<std::uint16_t>(m));
        const auto made = order_of(map, 0, members);
        EXPECT_EQ(std::set<std::uint32_t>(made.chunks.begin(), made.chunks.end()).size(), map.size());
        EXPECT_TRUE(std::is_sorted(made.shares.begin(), made.shares.end()));
    }
}

TEST(units_by_slot, every_slot_has_one_and_the_nearest_the_last) {
    for (const std::uint32_t slots : {1u, 2u, 5u, 16u}) {
        for (std::uint32_t caller = 0; caller < slots; ++caller) {
            EXPECT_EQ(slot_of_unit(0, caller, slots), caller);
            EXPECT_EQ(slot_of_unit(slots - 1, caller, slots), (caller + 1) % slots);
            for (std::uint32_t first = 0; first < slots; ++first) {
                for (std::uint32_t u = first; u < slots; ++u)
                    EXPECT_EQ(units_up_to(slot_of_unit(first, caller, slots), slot_of_unit(u, caller, slots),
                                          slots),
                              u - first);
            }
        }
    }
}

}  // namespace
}  // namespace bough
