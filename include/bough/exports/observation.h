#pragma once
// The calls that observers of arenas make. Behind it: src/entry/observation.cpp.

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

// For runtimes that are built on bough: observes the arena, or that of the calling thread if a is null. Sets *record,
// which end_observation() needs, before the first call of `calls`. Throws std::bad_alloc.
BOUGH_EXPORT void begin_observation(arena* a, observer_calls calls, observation** record);
// The same, and initializes the arena if need be. Also throws what task_arena::initialize throws.
BOUGH_EXPORT void begin_observation_of(task_arena* a, observer_calls calls, observation** record);
BOUGH_EXPORT void end_observation(observation* o) noexcept;

}  // namespace detail
}  // namespace bough
