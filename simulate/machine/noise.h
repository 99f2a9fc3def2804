#pragma once
// What a seed changes: prices within some percent, how long stores stay in a buffer, when a core is lost. The same seed
// gives the same run.

#include <cstdint>

#include "description.h"

namespace simulate {

class noise {
public:
    explicit noise(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u) {}

    // splitmix64
    std::uint64_t draw() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    // 0 to most.
    std::uint64_t below(std::uint64_t most) { return most == 0 ? 0 : draw() % (most + 1); }
    // A price that lies within an eighth of this one.
    picoseconds around(picoseconds price) {
        const picoseconds eighth = price / 8;
        return price - eighth + below(2 * eighth);
    }

private:
    std::uint64_t state_;
};

}  // namespace simulate
