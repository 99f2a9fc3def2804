#include "arena/slot.h"

#include <new>

namespace bough {

bool slot::add_chunk() noexcept {
    const std::uint16_t n = chunk_count.load(std::memory_order_relaxed);
    if (n == max_chunks)
        return false;
    chunk* fresh = new (std::nothrow) chunk;
    if (!fresh)
        return false;
    // release: pairs with the acquire in part(). seq_cst: see parts_made().
    more_chunks[n].store(fresh, std::memory_order_release);
    chunk_count.store(static_cast<std::uint16_t>(n + 1), std::memory_order_seq_cst);
    return true;
}

}  // namespace bough
