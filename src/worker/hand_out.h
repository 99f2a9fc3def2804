#pragma once
// Handing a loop out over idle slots, and taking back what was not begun. share/README.md "Hand-off"; the shape of the
// tree is share/team.h.

#include "worker/worker.h"

namespace bough {

inline constexpr unsigned max_team = loop_word::max_helpers;

// Idle slots, nearest first, at most `wanted`; returns their number.
std::uint32_t recruit(slot& s, std::uint16_t* team, std::uint32_t wanted);

// Hands intervals of the back of [first, *last) to the members [team_first, team_last), the larger ones first.
// Returns how many of the `planned` hand-offs found nobody.
std::uint32_t hand_out(slot& s, loop_part& p, loop_job& job, unit first, unit* last, const assignment& team,
                       float ticks_per_unit, std::uint32_t planned);

// Runs what was handed out below p and has not been begun: a member may have lost its CPU. False if there was nothing.
bool take_back(slot& s, loop_part& p);

// Gives t to this slot's worker, if it waits for work; or to any that does.
bool hand_task_to(slot& s, slot& member, task& t);
bool hand_out_task(slot& s, task& t);
// The same for tasks.
bool take_back_task(slot& s);

}  // namespace bough
