#pragma once
// In which order a thief looks at the other slots. It begins with the slot in which it last found something (or at
// which it looked when it was handed work), since that team most likely has more. Then it goes by distance in the
// topology. Within each distance it begins at a random slot and goes round, so that thieves do not all look at the same
// slot first. (A helper of a loop takes more from the part that it helps before it comes here: worker/work_off.cpp.)
// Owned by the thief.

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <vector>

namespace bough {

class victim_order {
public:
    explicit victim_order(unsigned self) : self_(self), random_(self * 2654435761U + 1U) {}

    // The next each() asks for the distances again.
    void forget() { count_ = 0; }

    // Calls see(index) for every index below `count` but this slot's own, until see returns true; returns whether it
    // did. distance(index) is asked when `count` has changed. With last_first the slot in which the thief last found
    // something comes first, and is seen twice.
    template <class Distance, class See>
    bool each(unsigned count, bool last_first, Distance&& distance, See&& see) {
        if (count != count_ && !arrange(count, distance))
            return each_in_a_row(count, see);
        if (last_first && last_ < count && last_ != self_ && see(last_))
            return true;
        for (unsigned begin = 0; const unsigned end : level_ends_) {
            const unsigned size = end - begin, first = next_random() % size;
            for (unsigned i = 0; i < size; ++i) {
                const unsigned victim = order_[begin + (first + i) % size];
                if (see(victim)) {
                    last_ = victim;
                    return true;
                }
            }
            begin = end;
        }
        last_ = self_;
        return false;
    }

private:
    static constexpr unsigned levels_at_most = 4;  // larger distances count as the last one

    // False if there is no memory.
    template <class Distance>
    bool arrange(unsigned count, Distance&& distance) try {
        order_.clear();
        level_ends_.clear();
        count_ = 0;
        // Each distance is asked once: it may change meanwhile.
        std::vector<unsigned char> levels(count);
        std::array<unsigned, levels_at_most> size{};
        for (unsigned i = 0; i < count; ++i)
            if (i != self_)
                ++size[levels[i] = static_cast<unsigned char>(std::min(distance(i), levels_at_most - 1))];
        std::array<unsigned, levels_at_most> next{};
        unsigned end = 0;
        for (unsigned level = 0; level < levels_at_most; ++level) {
            next[level] = end;
            end += size[level];
            if (size[level] != 0)
                level_ends_.push_back(static_cast<std::uint16_t>(end));
        }
        order_.resize(end);
        for (unsigned i = 0; i < count; ++i)
            if (i != self_)
                order_[next[levels[i]]++] = static_cast<std::uint16_t>(i);
        count_ = count;
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }

    template <class See>
    bool each_in_a_row(unsigned count, See&& see) const {
        for (unsigned i = 0; i < count; ++i)
            if (i != self_ && see(i))
                return true;
        return false;
    }

    // Marsaglia's xorshift: any sequence that differs between slots will do.
    unsigned next_random() {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 17;
        random_ ^= random_ << 5;
        return random_;
    }

    const unsigned self_;
    unsigned last_ = ~0U;
    std::uint32_t random_;
    unsigned count_ = 0;
    std::vector<std::uint16_t> order_;       // nearest first
    std::vector<std::uint16_t> level_ends_;  // where in order_ those of equal distance end
};

}  // namespace bough
