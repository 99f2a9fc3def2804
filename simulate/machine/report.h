#pragma once

namespace simulate {

// The calls on a stack that begins at `top` and that simulate_change() left; null: the stack of the caller.
void say_stack(const void* stack_pointer, const char* top);

}  // namespace simulate
