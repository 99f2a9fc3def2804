#pragma once
// splitmix64: small, fast, and the same on every machine, so that a seed repeats a run.

#include <cstdint>

namespace bough::cluster {

class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
    // 0 .. bound-1; the bias of the multiplication is below bound / 2^32.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }
    // Below 1.
    double fraction() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    static std::uint64_t mix(std::uint64_t x) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    }

private:
    std::uint64_t state_;
};

}  // namespace bough::cluster
