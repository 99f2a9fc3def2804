#pragma once
// Which way a loop goes: alone without a clock, alone with one, or handed off. Reads and updates the call site's
// memory. All values are hints: a wrong one costs time, never progress. prediction.md has the rules and the reasons.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bough/detail/call_site.h"
#include "machine/clock.h"
#include "profile/tuning.h"
#include "share/way_turns.h"

namespace bough {

enum class way {
    blind,  // published, not handed off, no clock: where nothing else is faster
    alone,  // timed, published, not handed off
    team,   // handed off
};

class prediction {
public:
    prediction(detail::call_site& site, std::uint64_t units)
        : memory_(class_of(site, units)), units_(units), solo_(memory_.solo.load(std::memory_order_relaxed)) {
    }

    // Did choose() say, when it judged an earlier loop, that this one goes blind, or is handed off, too?
    static bool is_blind_turn(detail::call_site& site, std::uint64_t units, way_turns& turns) {
        return turns.take_blind(class_of(site, units).kind.load(std::memory_order_relaxed), units);
    }
    static bool is_team_turn(detail::call_site& site, std::uint64_t units, way_turns& turns) {
        return turns.take_team(class_of(site, units).kind.load(std::memory_order_relaxed), units);
    }

    bool is_known() const { return solo_ != 0; }
    double ticks_per_unit() const { return solo_; }
    // The same of a loop of which no unit is handed off. If bodies wait for each other, a unit is short in a team only.
    // Not asked of longer loops, which are not tried alone: what was once learned of them would never be forgotten.
    double ticks_per_unit_alone(const tuning& t) const {
        return memory_.alone.has_two() && wants_to_know(t) ? std::max(solo_, memory_.alone.value()) : solo_;
    }
    double total_ticks_alone(const tuning& t) const {
        return ticks_per_unit_alone(t) * static_cast<double>(units_);
    }
    // For the first batch: what the front of the loop cost the last times, if that is more than the average.
    double front_ticks_per_unit() const {
        return std::max(solo_, memory_.front.load(std::memory_order_relaxed));
    }
    double total_ticks() const { return static_cast<double>(solo_) * static_cast<double>(units_); }

    // `count`: how many loops and trees this slot has judged. By it choose() tries the other way now and then.
    way choose(std::uint32_t count, const tuning& t, way_turns& turns) const {
        if (!is_known())
            return way::team;
        const double total = total_ticks(), handoff = static_cast<double>(t.handoff);
        if (total > grey_zone * handoff)
            return way::team;
        const bool trusted = is_turn(count, 1u << doubts());
        if (!(trusted && total < handoff)) {
            if (!is_settled())
                return is_turn(count / 2, 2) ? way::team
                                             : way::alone;  // two in a row: the second one finds warm caches
            if (team_wins() != is_turn_of_other(count)) {
                if (team_wins())
                    turns.give_team(number(memory_), not_short(handoff), handed_off_in_a_row + count % 2);
                return way::team;
            }
            if (team_wins())
                return way::alone;
        }
        if (!trusted || is_turn(count + 1, blind_sample))  // + 1: other turns than above
            return way::alone;
        if (doubts() == 0)
            turns.give_blind(number(memory_), units_, untimed_in_a_row);
        return way::blind;
    }

    // True for about every n-th count, evenly spread in any arithmetic sequence of counts (by multiples of the golden
    // ratio). A slot counts the loops of all its sites together, so one site may see odd counts only.
    static bool is_turn(std::uint32_t count, std::uint32_t n) {
        return count * 0x9E3779B9u <= ~std::uint32_t{0} / n;
    }

    // One thread took `ticks` for `units`.
    void learn_solo(machine::ticks ticks, std::uint64_t units) const { learn(memory_.solo, ticks, units); }
    // The first batch took this much per unit. The value rises at once and falls slowly, since a batch that is too long
    // cannot be shared.
    void learn_front(float ticks_per_unit) const {
        const float old = memory_.front.load(std::memory_order_relaxed);
        if (ticks_per_unit > old * 1.25f)
            memory_.front.store(ticks_per_unit, std::memory_order_relaxed);
        else if (ticks_per_unit < old * 0.75f)
            memory_.front.store(old * 0.9f, std::memory_order_relaxed);
    }
    // The whole loop took `ticks` the chosen way.
    void learn_way(way chosen, machine::ticks ticks) const {
        (chosen == way::team ? memory_.team : memory_.alone)
            .add(static_cast<float>(ticks) / static_cast<float>(units_));
    }
    // Is learn_way() to be called after this loop, which was judged?
    bool wants_to_know(const tuning& t) const {
        return total_ticks() <= grey_zone * static_cast<double>(t.handoff);
    }
    // A loop was run blind. If it seemed shorter than a hand-off and was helped all the same, it was not short, or a
    // body waited for another one. (Help for a longer one is no mistake.) Each such mistake halves the share of short
    // loops that go blind; each loop without one doubles it again.
    void learn_blind(bool was_helped, const tuning& t, way_turns& turns) const {
        const std::uint32_t n = doubts();
        if (!was_helped && n > 0)
            memory_.doubts.store(n - 1, std::memory_order_relaxed);
        if (!was_helped || total_ticks() >= static_cast<double>(t.handoff))
            return;
        turns.forget_blind(memory_.kind.load(std::memory_order_relaxed));
        if (n < most_doubts)
            memory_.doubts.store(n + 1, std::memory_order_relaxed);
    }

    static unsigned log2(std::uint64_t v) { return 63u - static_cast<unsigned>(__builtin_clzll(v | 1)); }

private:
    static detail::call_site::size_class& class_of(detail::call_site& site, std::uint64_t units) {
        return site.classes[std::min<unsigned>(15, log2(units) / 2)];
    }

    // If two threads number a class at once, the turns of one are lost.
    static way_turns::kind number(detail::call_site::size_class& c) {
        static constinit std::atomic<way_turns::kind> last{0};
        way_turns::kind k = c.kind.load(std::memory_order_relaxed);
        if (k == 0) {
            k = 1 + last.fetch_add(1, std::memory_order_relaxed);
            c.kind.store(k, std::memory_order_relaxed);
        }
        return k;
    }

    // A loop with the clock costs 150 ns more. Of four judged loops one has it; each of the others lets 31 follow that
    // are not judged. So about one loop in a hundred has the clock: 1.5 ns a loop.
    static constexpr std::uint32_t blind_sample = 4, untimed_in_a_row = 31;
    // Between two loops that are judged and timed, so many or one more are handed off without: judging and timing delay
    // the first hand-off. The number varies, because of loops that take turns the same one would be judged each time.
    static constexpr std::uint32_t handed_off_in_a_row = 2;
    static constexpr double grey_zone = 64;           // hand-offs (decisions.md tells of 16 and 256)
    static constexpr std::uint32_t most_doubts = 10;  // a wrong guess costs some us: one in 1024 loops may

    bool is_settled() const {
        return (memory_.alone.is_settled() && memory_.team.is_settled()) || team_wins_by_far();
    }
    // Then two measurements of each way are enough: bodies that wait for each other take some 100 times as long alone.
    // The same is not said of a team. The first ones may be as slow while its threads are being started.
    bool team_wins_by_far() const {
        constexpr float far = 8;  // times
        return memory_.alone.has_two() && memory_.team.has_two() &&
               memory_.alone.value() > far * memory_.team.value();
    }
    bool team_wins() const { return memory_.team.value() < memory_.alone.value(); }
    // The slower way is tried so rarely that it costs a thirtieth. A trial costs more than its own time: data that one
    // thread has in its cache moves to the others, and back.
    bool is_turn_of_other(std::uint32_t count) const {
        constexpr float share = 30, moving = 16, least_often = 1024;  // loops
        const float team = memory_.team.value(), alone = memory_.alone.value();
        const float loops = share * (std::max(team, alone) / std::min(team, alone) - 1 + moving);
        const float counts =
            std::min(loops, least_often) /
            (team_wins() ? handed_off_in_a_row + 1.5f : untimed_in_a_row / 2);  // only judged loops count
        return is_turn(count, static_cast<std::uint32_t>(counts) + 1);
    }

    // Units of the shortest loop of this class that gets the same answer: as long as a hand-off, or this one's.
    std::uint64_t not_short(double handoff) const {
        return std::min(units_, static_cast<std::uint64_t>(handoff / static_cast<double>(solo_)) + 1);
    }

    std::uint32_t doubts() const { return memory_.doubts.load(std::memory_order_relaxed); }

    // The value falls at once and rises slowly: interrupts and cold caches only ever make a loop look longer.
    static void learn(std::atomic<float>& value, machine::ticks ticks, std::uint64_t units) {
        const float seen = std::max(1e-6f, static_cast<float>(ticks) / static_cast<float>(units));
        const float old = value.load(std::memory_order_relaxed);
        if (old == 0)
            value.store(seen, std::memory_order_relaxed);
        else if (seen < old * 0.8f)
            value.store(seen, std::memory_order_relaxed);
        else if (seen > old * 1.25f)
            value.store(old + (seen - old) / 4, std::memory_order_relaxed);
    }

    detail::call_site::size_class& memory_;
    std::uint64_t units_;
    float solo_;
};

}  // namespace bough
