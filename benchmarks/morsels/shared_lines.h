#pragma once
// Threads write single bytes, each many times: the lengths of Collatz sequences, counted in memory. Two threads that
// write bytes of one line take it from each other at each step.

#include <cstddef>
#include <cstdint>

#include "morsels/array.h"

namespace bench::morsels {

template <class Loop>
class shared_lines {
public:
    static constexpr const char* name = "shared_lines";
    static constexpr std::size_t usual_size = 1 << 16;  // bytes

    explicit shared_lines(std::size_t size) : lengths_(size), expected_(size), loop_({size, 1}) {
        count(expected_, line(0, size));
    }
    void clear() { lengths_.assign(lengths_.size(), 0); }
    void run() {
        loop_.over(line(0, lengths_.size()), [this](const auto& r) { this->count(lengths_, r); });
    }
    bool is_right() const { return lengths_ == expected_; }

private:
    // Modulo 256.
    template <class Range>
    static void count(array<std::uint8_t>& lengths, const Range& r) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
            volatile std::uint8_t& length = lengths[i];  // volatile: each step is written
            length = 0;
            for (std::uint64_t n = i + 1; n != 1; n = n % 2 == 1 ? 3 * n + 1 : n / 2)
                length = static_cast<std::uint8_t>(length + 1);
        }
    }

    array<std::uint8_t> lengths_, expected_;
    Loop loop_;
};

}  // namespace bench::morsels
