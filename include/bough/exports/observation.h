#pragma once
// What observers of arenas rest on. Behind it: src/entry/observation.cpp.

#include "../config.h"

namespace bough {

class task_arena;

namespace detail {

class arena;
struct observation;

struct observer_calls {
    void (*entry)(void* data, bool is_worker);
    void (*exit)(void* data, bool is_worker);
    void* data;
};

// For runtimes that stand on bough: observes an arena, or the caller's if null. *record is set before the first call;
// end_observation() wants it. Throws std::bad_alloc.
BOUGH_EXPORT void begin_observation(arena* a, observer_calls calls, observation** record);
// The same; the arena is initialized if need be. Throws what task_arena::initialize does, too.
BOUGH_EXPORT void begin_observation_of(task_arena* a, observer_calls calls, observation** record);
BOUGH_EXPORT void end_observation(observation* o) noexcept;

}  // namespace detail
}  // namespace bough
