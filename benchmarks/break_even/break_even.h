#pragma once
// From how many iterations on a parallel loop pays: 2 to 65536 iterations of about 1, 4, 16, 64 and 256 ns.

#include <cstdint>
#include <string>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"

namespace bench {

// A chain of operations, each waiting for the one before. The barrier keeps the compiler from joining them; Google
// Benchmark's would have clang send the value through memory.
inline std::uint32_t chain(std::uint32_t seed, unsigned steps) {
    for (unsigned i = 0; i < steps; ++i) {
        seed = seed * 1664525u + 1013904223u;
        asm volatile("" : "+r"(seed));
    }
    return seed;
}

template <class Runtime>
class chains {
public:
    chains(index n, unsigned steps) : steps_(steps), out_(n), expected_(n) {
        for (index i = 0; i < n; ++i)
            expected_[i] = chain(static_cast<std::uint32_t>(i), steps);
    }

    void reset() { out_.fill(0); }

    void run() {
        std::uint32_t* const out = out_.data();
        const unsigned steps = steps_;
        Runtime::parallel_for(0, out_.size(),
                              [=](index i) { out[i] = chain(static_cast<std::uint32_t>(i), steps); });
    }

    std::size_t first_wrong() const {
        for (index i = 0; i < out_.size(); ++i)
            if (out_[i] != expected_[i])
                return i;
        return none;
    }

private:
    unsigned steps_;
    buffer<std::uint32_t> out_, expected_;
};

// Steps that take about so long on a CPU of 3.5 GHz, measured serially: short chains overlap, long ones do not.
struct chain_length {
    unsigned ns, steps;
};
constexpr chain_length chain_lengths[] = {{1, 1}, {4, 3}, {16, 13}, {64, 52}, {256, 208}};

template <class Runtime>
void register_break_even(const options& o) {
    if (!o.break_even)
        return;
    for (const auto [ns, steps] : chain_lengths)
        for (index n = 2; n <= 65536; n *= 2)
            register_workload("break_even/" + std::to_string(ns) + "ns/" + std::to_string(n),
                              lazy<chains<Runtime>>([n, steps] { return chains<Runtime>(n, steps); }));
}

}  // namespace bench
