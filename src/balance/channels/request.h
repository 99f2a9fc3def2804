#pragma once
// A request for work: one word of a channel. README.md, "Messages".

#include <cstdint>

namespace bough::balancing {

struct request {
    std::uint16_t thief = 0;     // the slot that wants work
    std::uint16_t hops = 0;      // how many slots have passed the request on
    bool wants_half = false;     // of the tasks; else one
    bool knows = false;          // that it wants half, or not
    bool is_ahead = false;       // its thief is at work: only a slot with many tasks gives it one
    bool goes_anywhere = false;  // to every open channel; else only where something shows
    bool may_wait = false;       // in the lobby

    std::uint64_t bits() const {
        return is_a_request | (wants_half ? half : 0) | (knows ? known : 0) | (is_ahead ? ahead : 0) |
               (goes_anywhere ? anywhere : 0) | (may_wait ? waits : 0) | std::uint64_t{hops} << 16 | thief;
    }
    static request of(std::uint64_t bits) {
        return {static_cast<std::uint16_t>(bits),
                static_cast<std::uint16_t>(bits >> 16),
                (bits & half) != 0,
                (bits & known) != 0,
                (bits & ahead) != 0,
                (bits & anywhere) != 0,
                (bits & waits) != 0};
    }

private:
    static constexpr std::uint64_t half = std::uint64_t{1} << 32, is_a_request = half << 1,
                                   anywhere = half << 2, waits = half << 3, known = half << 4,
                                   ahead = half << 5;
};

}  // namespace bough::balancing
