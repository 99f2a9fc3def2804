#pragma once
// Pi by the share of random points that fall into a quarter of a circle. Each piece of the points has a generator of
// its own, so that the number of hits is the same whoever runs which piece, and can be checked exactly.

#include <cstdint>
#include <string>

#include "common/fork_join.h"
#include "common/measure.h"
#include "common/options.h"

namespace bench {

constexpr index pi_piece = 4096;  // points; some 10 us

// splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
class split_mix {
public:
    explicit split_mix(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

// Points of a piece with x^2 + y^2 < 1, in whole numbers: x and y are 32 bits of one random word.
inline std::uint64_t hits_of_piece(index piece) {
    split_mix seed(piece);
    split_mix random(seed());
    std::uint64_t hits = 0;
    for (index i = 0; i < pi_piece; ++i) {
        const std::uint64_t word = random(), x = word >> 33, y = word & 0x7fffffff;
        hits += x * x + y * y < std::uint64_t{1} << 62;
    }
    return hits;
}

template <class Runtime>
std::uint64_t hits_of(index first, index last) {
    if (last - first == 1)
        return hits_of_piece(first);
    const index middle = first + (last - first) / 2;
    std::uint64_t a = 0, b = 0;
    Runtime::fork([=, &a] { a = hits_of<Runtime>(first, middle); },
                  [=, &b] { b = hits_of<Runtime>(middle, last); });
    return a + b;
}

template <class Runtime>
class monte_carlo {
public:
    explicit monte_carlo(index points) : pieces_(points / pi_piece) {
        for (index i = 0; i < pieces_; ++i)
            expected_ += hits_of_piece(i);
    }

    void reset() { hits_ = 0; }
    void run() {
        fork_root<Runtime>([this] { hits_ = hits_of<Runtime>(0, pieces_); });
    }
    std::size_t first_wrong() const { return hits_ == expected_ && is_pi() ? none : 0; }

private:
    // Within eight standard deviations, which are 1.64 / sqrt(points).
    bool is_pi() const {
        const double points = static_cast<double>(pieces_ * pi_piece);
        const double off = 4 * static_cast<double>(hits_) / points - 3.14159265358979;
        return off * off < 64 * 1.65 * 1.65 / points;
    }

    index pieces_;
    std::uint64_t expected_ = 0, hits_ = 0;
};

template <class Runtime>
void register_pi(const options& o) {
    const index points = index{1} << (o.full ? 26 : o.papers ? 23 : 20);
    register_long_workload("pi/monte_carlo/" + std::to_string(points),
                           lazy<monte_carlo<Runtime>>([points] { return monte_carlo<Runtime>(points); }));
}

}  // namespace bench
