#pragma once

namespace simulate {

// The calls on a stack that simulate_change() left, by frame pointers; null: the stack of the caller.
void say_stack(const void* stack_pointer);

}  // namespace simulate
