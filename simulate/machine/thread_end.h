#pragma once

namespace simulate {

struct thread;
// What a thread leaves behind: destructors of its thread_local objects, and of its keys' values.
void end_thread(thread& t);

}  // namespace simulate
