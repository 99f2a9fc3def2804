#pragma once
// In which order a thief looks at the other slots. (A member of a team has taken more from whom it got its work before
// it looks here at all: worker/work_off.cpp.) First where it last found something, since that team has most likely
// more; then by distance in the topology, and in turns from a random one within each distance, so that thieves do not
// all knock at the same door. Owned by the thief.

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace bough {

class victim_order {
public:
    explicit victim_order(unsigned self) : self_(self), random_(self * 2654435761U + 1U) {}

    // Distances are asked again.
    void forget() { count_ = 0; }

    // Calls see(index) for every index below `count` but this slot's own, until it returns true; returns whether it
    // did. distance(index): asked when `count` has changed. One more call for the first: it is met again.
    template <class Distance, class See>
    bool each(unsigned count, Distance&& distance, See&& see) {
        if (count != count_ && !arrange(count, distance))
            return each_in_a_row(count, see);
        if (last_ < count && last_ != self_ && see(last_))
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
    // False: no memory.
    template <class Distance>
    bool arrange(unsigned count, Distance&& distance) try {
        order_.clear();
        level_ends_.clear();
        count_ = 0;
        // Each is asked once: what it goes by may change meanwhile.
        std::vector<std::pair<unsigned, std::uint16_t>> others;
        for (unsigned i = 0; i < count; ++i)
            if (i != self_)
                others.emplace_back(distance(i), static_cast<std::uint16_t>(i));
        std::sort(others.begin(), others.end());
        for (std::size_t i = 0; i < others.size(); ++i) {
            order_.push_back(others[i].second);
            if (i + 1 == others.size() || others[i].first != others[i + 1].first)
                level_ends_.push_back(static_cast<std::uint16_t>(i + 1));
        }
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
    std::vector<std::uint16_t> level_ends_;  // in it, of those that are equally far
};

}  // namespace bough
