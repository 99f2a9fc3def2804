#pragma once
// Hands tasks to idle workers, and takes back what was handed off and not begun, intervals of loops too.
// share/orderings.md "The hand-off cell".

#include "machine/topology.h"
#include "worker/worker.h"

namespace bough {

// Gives t to the worker in `member`, or to any worker, if it waits for work. False: no worker has taken t. What t
// spawns goes to the slots of the round, and then into the queue; without a round, to idle workers.
// Where the thread, the slot's own, looks for idle workers first.
unsigned first_slot_where_it_is(const slot& s);
inline unsigned first_slot_near(const slot& s) {
    return machine::uneven_topology() ? first_slot_where_it_is(s) : s.index;
}

bool hand_task_to(slot& s, slot& member, task& t, const mail_round* round = nullptr);
bool hand_off_task(slot& s, task& t);

// Takes back an interval that was handed off below p and not begun: its receiver may have lost its CPU.
found take_back(slot& s, loop_part& p);
// The same for tasks.
found take_back_task(slot& s);

}  // namespace bough
