#include "checks/held_locks.h"

#include <pthread.h>

#include <algorithm>
#include <array>

#include "checks/on/running.h"

namespace bough::checks {
namespace {

// Oldest first. 16: below 1 KiB of static TLS, of which a library that is loaded late gets little (BOUGH_FAST_TLS).
struct held_locks {
    std::array<held_lock, 16> all;
    unsigned count = 0;

    held_lock* find(const void* lock) noexcept {
        held_lock* const end = all.data() + count;
        held_lock* const found =
            std::find_if(all.data(), end, [lock](const held_lock& h) { return h.lock == lock; });
        return found == end ? nullptr : found;
    }
    void remove(held_lock* gone) noexcept {
        std::move(gone + 1, all.data() + count, gone);
        --count;
    }
};
constinit thread_local held_locks held;

// In a child the locks may be made anew, without a call, by those to whom they belong: none is known there.
[[maybe_unused]] const int registered = pthread_atfork(nullptr, nullptr, [] { held.count = 0; });

}  // namespace

const held_lock* find_held(const void* lock) noexcept {
    return held.find(lock);
}

void note_taken(const void* lock, bool shared, const void* at) noexcept {
    if (held_lock* const before = held.find(lock))
        held.remove(before);
    else if (held.count == held.all.size())
        held.remove(held.all.data());
    held_lock& fresh = held.all[held.count++] = {lock, shared, at};
    if (const frame* const f = frame::innermost()) {
        fresh.frame = f->number;
        fresh.name = f->name;
        fresh.place = f->place;
    }
}

void note_let_go(const void* lock) noexcept {
    if (held_lock* const h = held.find(lock))
        held.remove(h);
}

}  // namespace bough::checks
