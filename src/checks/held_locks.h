#pragma once
// The locks that the calling thread holds, as far as it took and let go of them itself. Nothing here allocates, locks
// or fails: it is called from within any lock operation of the process.

#include <cstdint>

namespace bough::checks {

struct held_lock {
    const void* lock = nullptr;
    bool is_shared = false;
    const void* taken_at = nullptr;
    // The frame that took it, copied: it may end before the lock is let go of. 0: none, the application's own code.
    std::uint64_t frame = 0;
    const char* name = nullptr;
    const void* place = nullptr;
};

// Null: not held, or forgotten.
const held_lock* find_held(const void* lock) noexcept;
// Also where it is known already. Of more than 16 locks the oldest is forgotten.
void note_taken(const void* lock, bool shared, const void* at) noexcept;
void note_let_go(const void* lock) noexcept;

}  // namespace bough::checks
