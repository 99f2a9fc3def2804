#pragma once
// Threads write single bytes, each in many passes over their pieces. Where a piece ends inside of a line, two threads
// take the line from each other in each pass.

#include <cstddef>
#include <cstdint>

#include "morsels/array.h"

namespace bench::morsels {

template <class Loop>
class shared_lines {
public:
    static constexpr const char* name = "shared_lines";
    static constexpr std::size_t usual_size = 1 << 16;  // bytes

    explicit shared_lines(std::size_t size) : bytes_(size), expected_(size), loop_({size, 1}) {
        write(expected_, line(0, size));
    }
    void clear() { bytes_.assign(bytes_.size(), 0); }
    void run() {
        loop_.over(line(0, bytes_.size()), [this](const auto& r) { this->write(bytes_, r); });
    }
    bool is_right() const { return bytes_ == expected_; }

private:
    static constexpr unsigned passes = 64;

    template <class Range>
    static void write(array<std::uint8_t>& bytes, const Range& r) {
        for (std::size_t i = r.begin(); i != r.end(); ++i)
            bytes[i] = 0;
        for (unsigned pass = 0; pass != passes; ++pass)
            for (std::size_t i = r.begin(); i != r.end(); ++i) {
                volatile std::uint8_t& b = bytes[i];  // volatile: each pass writes it
                b = static_cast<std::uint8_t>(5 * b + i);
            }
    }

    array<std::uint8_t> bytes_, expected_;
    Loop loop_;
};

}  // namespace bench::morsels
