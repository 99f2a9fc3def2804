#pragma once
// Estimates what a call of a loop's body costs by itself, however few units the body gets: the body may make a buffer,
// or copy a value. Batches that were sized by time alone would shrink to one unit each, and the loop would pay this
// cost for every unit. All times are in the same measure, whatever that is. For one thread.

#include <algorithm>
#include <cstdint>

namespace bough::detail {

class call_cost {
public:
    // One call ran `units` and took `took`. Two calls, of which one had at least twice as many units as the other, show
    // what a call costs besides its units.
    void saw(std::uint64_t units, std::uint64_t took) {
        ++calls_;
        least_ = std::min(least_, took);
        const bool more = units >= 2 * units_, fewer = units_ >= 2 * units;
        if (more && units_ != 0)
            fixed_ = beside_units(units_, took_, units, took);
        else if (fewer)
            fixed_ = beside_units(units, took, units_, took_);
        fixed_ = std::min(fixed_, least_);
        // Of two calls with closer numbers of units the smaller one is kept, to compare it with the next trial, which
        // has twice as many units.
        if (more || units <= units_) {
            units_ = units;
            took_ = took;
        }
    }

    // The cost of a call, 0 if it does not matter for a batch of `wanted`.
    std::uint64_t matters(std::uint64_t wanted) const { return share * fixed_ > wanted ? fixed_ : 0; }

    // How long a batch should last that would last `wanted` if calls cost nothing.
    std::uint64_t worth(std::uint64_t wanted) const { return std::max(wanted, share * fixed_); }

    // `count` units or pieces took `took`. Returns how many to run next, so that calls themselves cost little; 0 if
    // calls do not matter for a batch of `wanted`. At most four times `count`. `least`: fewer are not possible.
    std::uint64_t longer(std::uint64_t count, std::uint64_t took, std::uint64_t wanted,
                         std::uint64_t least = 1) const {
        if (least_ < wanted / share)
            return 0;
        // Now and then a trial with twice as many shows the cost, also again after a call that was interrupted. After a
        // batch that was much too long no trial is needed: the next batch is shorter, and shows as much.
        const bool is_asked = calls_ % tried_every == 1 && (count <= least || took < 2 * wanted);
        const std::uint64_t trial = is_asked ? count * 2 : 0;
        if (matters(wanted) == 0)
            return trial;
        const double units = std::max(static_cast<double>(took) - static_cast<double>(fixed_), 1.0);
        const double more = std::min(static_cast<double>((share - 1) * fixed_) / units, 4.0);
        return std::max(trial, static_cast<std::uint64_t>(static_cast<double>(count) * more));
    }

private:
    static constexpr std::uint64_t share = 16;       // calls may cost a sixteenth of a loop
    static constexpr std::uint32_t tried_every = 4;  // one longer batch among four costs little balance

    static std::uint64_t beside_units(std::uint64_t few, std::uint64_t took_few, std::uint64_t many,
                                      std::uint64_t took_many) {
        if (took_many <= took_few)
            return took_many;
        const double each = static_cast<double>(took_many - took_few) / static_cast<double>(many - few);
        return static_cast<std::uint64_t>(
            std::max(0.0, static_cast<double>(took_few) - each * static_cast<double>(few)));
    }

    std::uint64_t fixed_ = 0;
    std::uint64_t least_ = ~std::uint64_t{0};  // a call by itself costs no more than the shortest call took
    std::uint32_t calls_ = 0;
    std::uint64_t units_ = 0;  // the units of the call to compare with
    std::uint64_t took_ = 0;
};

}  // namespace bough::detail
