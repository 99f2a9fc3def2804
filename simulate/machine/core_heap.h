#pragma once
// The cores that have something to run, the one with the earliest clock first. Of equal clocks the lower number goes
// first, so that the order depends on nothing else.

#include <cstdint>
#include <vector>

#include "core.h"

namespace simulate {

class core_heap {
public:
    // Clock and number in one word.
    static std::uint64_t key(const core& c) { return key(c.clock) | c.number; }
    static std::uint64_t key(picoseconds time) { return time << number_bits; }

    bool empty() const { return cores_.empty(); }
    core& first() const { return *cores_[0]; }
    // The key of the first one but for first(); the highest one if there is none.
    std::uint64_t second() const {
        std::uint64_t result = ~std::uint64_t{0};
        for (std::size_t child = 1; child <= 2 && child < cores_.size(); ++child)
            result = key(*cores_[child]) < result ? key(*cores_[child]) : result;
        return result;
    }

    bool has(const core& c) const { return c.place != core::nowhere; }
    void push(core& c) {
        cores_.push_back(&c);
        sift(c, cores_.size() - 1);
    }
    void remove(core& c) {
        const std::size_t place = c.place;
        core* const last = cores_.back();
        cores_.pop_back();
        c.place = core::nowhere;
        if (last != &c)
            sift(*last, place);
    }
    // Its clock is another one now.
    void moved(core& c) { sift(c, c.place); }

private:
    static constexpr unsigned number_bits = 10;  // description.cpp: at most 1,024 cores

    void put(core& c, std::size_t place) {
        cores_[place] = &c;
        c.place = static_cast<unsigned>(place);
    }
    void sift(core& c, std::size_t place) {
        const std::uint64_t k = key(c);
        for (; place > 0 && k < key(*cores_[(place - 1) / 2]); place = (place - 1) / 2)
            put(*cores_[(place - 1) / 2], place);
        for (;;) {
            std::size_t child = 2 * place + 1;
            if (child >= cores_.size())
                break;
            if (child + 1 < cores_.size() && key(*cores_[child + 1]) < key(*cores_[child]))
                ++child;
            if (k <= key(*cores_[child]))
                break;
            put(*cores_[child], place);
            place = child;
        }
        put(c, place);
    }

    std::vector<core*> cores_;
};

}  // namespace simulate
