#pragma once
// What the runtime knows of itself, on stderr: crew, arenas, slots, sleepers. Only the watchdog's thread calls this. It
// takes locks by trying, reports which it could not get, and holds none while it writes.

namespace bough {

void report_stall(unsigned after_s);
void report_resumed();
void report_asked();

}  // namespace bough
