// Begins and ends the observation of arenas.

#include <new>
#include <utility>

#include "arena/arena.h"
#include "bough/detail/raise.h"
#include "bough/exports/observation.h"
#include "bough/task_arena.h"
#include "worker/crew.h"
#include "worker/this_thread.h"

namespace bough {
namespace detail {
namespace {

// What an observer holds: its record, and a reference that keeps the arena alive.
struct held_observation : observation {
    held_observation(observer_calls c, arena& a) : observation(c), home(a) { process_crew().keep(home); }
    arena& home;
    observation_ref self;
};

}  // namespace

static void try_to_observe(arena* a, observer_calls calls, observation** record) {
    const auto o = std::make_shared<held_observation>(calls, *a);
    o->self = o;
    *record = o.get();
    try {
        a->observers.add(o);
        if (current_slot && &current_slot->home == a &&
            !current_slot->told.look(a->observers, current_slot->is_worker))
            throw std::bad_alloc();
    } catch (...) {
        end_observation(std::exchange(*record, nullptr));
        throw;
    }
}

void begin_observation(arena* a, observer_calls calls, observation** record) {
    if (!a)
        a = &this_slot().home;
    or_terminate([=] { try_to_observe(a, calls, record); });
}

void end_observation(observation* o) noexcept {
    auto& held = static_cast<held_observation&>(*o);
    arena& home = held.home;
    home.observers.remove(held);
    held.end();
    held.self.reset();  // slots whose threads were told keep the record until the threads leave
    process_crew().release(home);
}

void begin_observation_of(task_arena* a, observer_calls calls, observation** record) {
    if (a)
        a->initialize();
    begin_observation(a ? a->native() : nullptr, calls, record);
}

}  // namespace detail
}  // namespace bough
