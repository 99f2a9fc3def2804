#include "worker/this_thread.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "arena/arena.h"
#include "profile/tuning.h"
#include "worker/crew.h"
#include "worker/worker.h"

namespace bough {

thread_local slot* current_slot = nullptr;

namespace {

// Seats for application threads beyond the first; more threads get another default arena.
constexpr unsigned extra_seats = 32;

// Default arenas are never destroyed: threads of the program may use them until its very end.
struct default_arenas {
    std::mutex mutex;
    std::vector<arena*> all;
};

default_arenas& process_arenas() {
    static default_arenas* arenas = new default_arenas;
    return *arenas;
}

slot& take_default_seat() {
    default_arenas& d = process_arenas();
    const std::lock_guard lock(d.mutex);
    for (arena* a : d.all)
        if (slot* s = a->take_master_seat())
            return *s;
    process_crew();
    const unsigned n = std::max(process_tuning().threads, crew_limits.limit.load(std::memory_order_relaxed));
    d.all.reserve(d.all.size() + 1);
    arena* a = new arena({.masters = 1,
                          .concurrency = static_cast<std::uint16_t>(n),
                          .seats = static_cast<std::uint16_t>(n + extra_seats),
                          .masters_may_use_worker_seats = false});
    process_crew().adopt(*a);
    d.all.push_back(a);
    return *a->take_master_seat();
}

// Gives the seat of an application thread back when the thread ends.
struct seat_guard {
    slot* seat = nullptr;
    ~seat_guard() {
        if (!seat)
            return;
        while (run_own_task(*seat)) {  // proxies that others have run
        }
        current_slot = nullptr;
        seat->home.give_back(*seat);
    }
};

}  // namespace

BOUGH_COLD slot& attach() {
    thread_local seat_guard guard;
    slot& s = take_default_seat();
    guard.seat = &s;
    current_slot = &s;
    return s;
}

}  // namespace bough
