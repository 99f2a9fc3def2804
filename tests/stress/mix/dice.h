#pragma once
// Random numbers that depend on the seed alone, whoever draws them: what a run does can be repeated, when it does it
// cannot.

#include <cstddef>
#include <cstdint>

namespace mix {

// The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
constexpr std::uint64_t scrambled(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}
constexpr std::uint64_t mixed(std::uint64_t seed, std::uint64_t number) {
    return scrambled(seed ^ scrambled(number));
}

// One thread's.
class dice {
public:
    explicit dice(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() { return scrambled(state_++); }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
    std::size_t between(std::size_t low, std::size_t high) { return low + below(high - low + 1); }
    bool one_in(std::size_t n) { return below(n) == 0; }

private:
    std::uint64_t state_;
};

}  // namespace mix
