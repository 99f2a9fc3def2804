#pragma once
// The profile and the settings as the hot paths want them: in ticks, ready to compare. Made once at start, then
// constant.

#include <cstdint>
#include <vector>

#include "machine/clock.h"
#include "profile/cut_rule.h"
#include "profile/profile.h"
#include "profile/settings.h"

namespace bough {

struct tuning {
    unsigned cpus;     // usable CPUs
    unsigned threads;  // default concurrency: BOUGH_NUM_THREADS or cpus
    distribution distribute;
    mailing mail;
    thieving thieves;
    stealing steals;
    victim_choice victims;
    std::uint32_t grain;  // BOUGH_GRAIN, in units; 0: adaptive
    bool predicts;        // BOUGH_PREDICT
    bool pin;
    cut_rule cut;
    machine::ticks handoff;
    machine::ticks batch;          // a batch after the gate lasts about this long
    machine::ticks spin;           // thread without work: spin this long, then yield; ~0: never yield
    machine::ticks stay;           // idle worker: leave after this long; waiting caller: sleep
    machine::ticks longest_awake;  // the watcher: after a longer pause it may have to be woken up
    machine::ticks least_slice;    // a spinning thread that does not come round for so long has lost its CPU
    machine::ticks wakeup;         // from a call until a sleeping thread runs
    machine::ticks watch;          // the watcher: park after this long without any loop
    machine::ticks watch_least;    // shortest and longest time between two looks of the watcher
    machine::ticks watch_most;
    machine::ticks turn;  // how long a worker stays where there is more, while another arena waits
    std::vector<machine::ticks> gate;  // [team size - 2]
    machine::ticks longest_gate;
    unsigned gate_mails;  // opens it too, if the owner has handed off so often; 0: it does not

    machine::ticks gate_for(unsigned team) const {
        const std::size_t i = team < 2 ? 0 : team - 2;
        return gate[i < gate.size() ? i : gate.size() - 1];
    }
};

extern const tuning* made_tuning;  // what process_tuning() made; null before

// For code that runs in a slot: whoever took one has called process_tuning() before.
inline const tuning& tuned() {
    return *made_tuning;
}

// The first call reads clock, settings and profile (some ms); thread-safe.
const tuning& process_tuning();

// The profile that it was made of, or is going to be. Thread-safe.
const profile& process_profile();

}  // namespace bough
