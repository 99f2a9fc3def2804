#pragma once
// The thief's clock: since when a thread has seen a part in one generation, and since when without progress. It belongs
// to the slot that looks, so that the gate of an untimed loop costs the loop's owner nothing. Pure but for the ticks it
// is given.

#include <cstdint>

#include "machine/clock.h"
#include "share/loop_word.h"

namespace bough {

// What opens a part that its owner has not opened yet.
struct steal_gate {
    machine::ticks time;
    std::uint32_t mails = 0;  // opens it too, after so many hand-offs of its owner; 0: it does not
};

// Of one other slot: of the outermost part there from which others can take. What lies deeper is not looked at before
// that one's gate has passed, but where threads wait for descendants.
struct sighting {
    loop_word word;
    std::uint32_t mails = 0;  // the owner's count when the generation was first seen
    std::uint16_t depth = 0;  // of the part
    machine::ticks generation_since = 0;
    machine::ticks word_since = 0;

    // May pieces be taken from the part at this depth, which shows `now_seen`? Its owner has handed off `mails_sent`
    // intervals so far. Records the sighting.
    bool may_steal(std::uint16_t at_depth, loop_word now_seen, std::uint32_t mails_sent, std::uint32_t grain,
                   machine::ticks now, const steal_gate& gate) {
        if (depth != at_depth || word.generation() != now_seen.generation() || generation_since == 0) {
            depth = at_depth;
            generation_since = now;
            word_since = now;
            mails = mails_sent;
        } else if (word != now_seen) {
            word_since = now;
        }
        word = now_seen;
        if (now_seen.open())
            // The owner is past its gate. A grain or less is taken only from an owner that makes no progress.
            return now_seen.remaining() > grain || now - word_since > gate.time;
        if (gate.mails != 0 && mails_sent - mails >= gate.mails && now_seen.remaining() > 1)
            return true;
        // The generation has been seen for a gate. A change of the word does not restart that time.
        return now - generation_since > gate.time &&
               (now_seen.remaining() > 1 || now - word_since > gate.time);
    }
};

}  // namespace bough
