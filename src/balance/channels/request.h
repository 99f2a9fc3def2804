#pragma once
// A request for work: one word of a channel. README.md, "Messages".

#include <cstdint>

namespace bough::balancing {

struct request {
    std::uint16_t thief = 0;  // the slot that wants work
    std::uint16_t hops = 0;   // how many slots have passed the request on
    bool wants_half = false;  // of the tasks; else one

    std::uint64_t bits() const {
        return is_a_request | (wants_half ? half : 0) | std::uint64_t{hops} << 16 | thief;
    }
    static request of(std::uint64_t bits) {
        return {static_cast<std::uint16_t>(bits), static_cast<std::uint16_t>(bits >> 16), (bits & half) != 0};
    }

private:
    static constexpr std::uint64_t is_a_request = std::uint64_t{1} << 33, half = std::uint64_t{1} << 32;
};

}  // namespace bough::balancing
