#pragma once
// Handing tasks to idle slots; and taking back what was handed off, of loops too, and not begun. share/README.md
// "Hand-off".

#include "worker/worker.h"

namespace bough {

// Gives t to this slot's worker, if it waits for work; or to any that does.
bool hand_task_to(slot& s, slot& member, task& t);
bool hand_off_task(slot& s, task& t);

// What was handed off below p and has not been begun: a member may have lost its CPU.
found take_back(slot& s, loop_part& p);
// The same for tasks.
found take_back_task(slot& s);

}  // namespace bough
