#pragma once
// What an affinity_partitioner remembers: which slot ran each chunk of its last loop. The library makes, reads and
// writes the map (src/worker/replay.h). The partitioner owns the map's memory.

#include <cstddef>
#include <cstdint>
#include <new>

namespace bough::detail {

struct chunk_map {
    std::uint16_t* slots = nullptr;
    std::size_t count = 0;
    // Makes `slots` an array of `chunks` elements, whose values do not matter. False: no memory, and the map is
    // unchanged.
    bool (*resize)(chunk_map& map, std::size_t chunks) noexcept = nullptr;
};

inline bool resize_on_heap(chunk_map& map, std::size_t chunks) noexcept {
    auto* const fresh = new (std::nothrow) std::uint16_t[chunks];
    if (!fresh)
        return false;
    delete[] map.slots;
    map.slots = fresh;
    map.count = chunks;
    return true;
}

}  // namespace bough::detail
