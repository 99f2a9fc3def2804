#include "arena/slot.h"

#include <new>

#include "arena/arena.h"
#include "profile/tuning.h"

namespace bough {

slot::slot(arena& a, std::uint16_t i)
    : home(a), wakeful(tuned().stay), victims(i), queue(a), counted(make_slot_counters(a.number, i)) {
    index = i;
    first_chunk.number(0);
}

loop_part* slot::open_part_beyond() {
    std::uint16_t i = used_parts();
    for (;; ++i) {
        if (i == parts_made() && !add_chunk()) {
            set_used_parts(i);
            close_gaps();
            return nullptr;
        }
        if (!part(i).is_busy())
            break;
        part(i).is_gap = true;
    }
    return open_part_at(i);
}

void slot::close_gaps() {
    unsigned top = used_parts();
    for (; top > 0; --top) {
        loop_part& p = part(static_cast<std::uint16_t>(top - 1));
        if (!p.is_gap)
            break;
        p.is_gap = false;
    }
    set_used_parts(top);
}

void slot::end_parts() {
    for (std::uint16_t i = 0; i < parts_made(); ++i) {
        part(i).drain();
        part(i).child_count = 0;  // their slots are gone
        if (i < used_parts())
            part(i).add_helper();
    }
}

bool slot::add_chunk() noexcept {
    const std::uint16_t n = chunk_count.load(std::memory_order_relaxed);
    if (n == max_chunks)
        return false;
    chunk* fresh = new (std::nothrow) chunk;
    if (!fresh)
        return false;
    fresh->number(static_cast<std::uint16_t>(n * parts_per_chunk));
    // release: pairs with the acquire in part(). seq_cst: see parts_made().
    more_chunks[n].store(fresh, std::memory_order_release);
    chunk_count.store(static_cast<std::uint16_t>(n + 1), std::memory_order_seq_cst);
    return true;
}

}  // namespace bough
