#pragma once
// Recursion that would leave the stack ends in an error instead.

#include "arena/slot.h"
#include "bough/detail/slot_view.h"

namespace bough {

using detail::unchecked_nesting;

// Is there too little left for another level and for an exception on its way?
bool is_stack_nearly_used() noexcept;

[[noreturn]] void throw_nesting_too_deep();

inline bool is_nested_too_deep(const slot& s) noexcept {
    return s.nesting >= unchecked_nesting && is_stack_nearly_used();
}

}  // namespace bough
