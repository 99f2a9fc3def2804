#pragma once
// The thief's clock: since when a watcher has seen a part in one generation, and without any progress. Owned by the
// watching slot, so that the gate of an untimed loop costs its owner nothing. Pure but for the ticks it is given.

#include <cstdint>

#include "machine/clock.h"
#include "share/loop_word.h"

namespace bough {

// What opens a part that its owner has not opened yet.
struct steal_gate {
    machine::ticks time;
    std::uint32_t mails = 0;  // that its owner has sent since; 0: they open nothing
};

struct sighting {
    loop_word word;
    std::uint32_t mails = 0;  // the owner's count when the generation was first seen
    machine::ticks generation_since = 0;
    machine::ticks word_since = 0;

    // May pieces be taken of a part that shows `now_seen`, of an owner that has sent so many mails? Records the
    // sighting.
    bool may_steal(loop_word now_seen, std::uint32_t mails_sent, std::uint32_t grain, machine::ticks now,
                   const steal_gate& gate) {
        if (word.generation() != now_seen.generation() || generation_since == 0) {
            generation_since = now;
            word_since = now;
            mails = mails_sent;
        } else if (word != now_seen) {
            word_since = now;
        }
        word = now_seen;
        if (now_seen.open())
            // The owner is past its gate. Under the grain only from an owner that does not move.
            return now_seen.remaining() > grain || now - word_since > gate.time;
        if (gate.mails != 0 && mails_sent - mails >= gate.mails && now_seen.remaining() > 1)
            return true;
        // Seen for a timespan: a latecomer does not restart it.
        return now - generation_since > gate.time &&
               (now_seen.remaining() > 1 || now - word_since > gate.time);
    }
};

}  // namespace bough
