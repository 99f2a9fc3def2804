#pragma once
// What an affinity_partitioner remembers: which slot ran each chunk of its last loop. The engine makes it, reads it and
// writes it (src/worker/replay.h); its memory is the partitioner's.

#include <cstddef>
#include <cstdint>
#include <new>

namespace bough::detail {

struct chunk_map {
    std::uint16_t* slots = nullptr;
    std::size_t count = 0;
    // Makes `slots` an array of so many, whose values do not matter. False: no memory, and the map is as it was.
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
