#pragma once
// The thief's clock: since when a watcher has seen a part in one generation, and without any progress. Owned by the
// watching slot, so that the gate of an untimed loop costs its owner nothing. Pure but for the ticks it is given.

#include <cstdint>

#include "machine/clock.h"
#include "share/loop_word.h"

namespace bough {

struct sighting {
    loop_word word;
    machine::ticks generation_since = 0;
    machine::ticks word_since = 0;

    // May pieces be taken of a part that shows `now_seen`? Records the sighting.
    bool may_steal(loop_word now_seen, std::uint32_t grain, machine::ticks now, machine::ticks gate) {
        if (word.generation() != now_seen.generation() || generation_since == 0) {
            generation_since = now;
            word_since = now;
        } else if (word != now_seen) {
            word_since = now;
        }
        word = now_seen;
        if (now_seen.open())
            // The owner is past its gate. Under the grain only from an owner that does not move.
            return now_seen.remaining() > grain || now - word_since > gate;
        // Seen for a timespan: a latecomer does not restart it.
        return now - generation_since > gate && (now_seen.remaining() > 1 || now - word_since > gate);
    }
};

}  // namespace bough
