#pragma once
// What the runtime knows of itself, on stderr: crew, arenas, slots, who sleeps. By the watchdog's thread only; takes
// locks by trying, says which were not to be had, and has none while it writes.

namespace bough {

void report_stall(unsigned after_s);
void report_resumed();
void report_asked();

}  // namespace bough
