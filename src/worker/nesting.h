#pragma once
// Recursion that would leave the stack ends in an error instead. What is nested less deeply than here fits even into the
// smallest stack that workers may have (64 KiB): so the usual case is a compare.

#include "arena/slot.h"

namespace bough {

inline constexpr std::uint32_t unchecked_nesting = 16;

// Is there too little left for another level and for an exception on its way?
bool is_stack_nearly_used() noexcept;

[[noreturn]] void throw_nesting_too_deep();
// For what cannot throw: a line on stderr, and the end of the process.
[[noreturn]] void end_nesting_too_deep() noexcept;

inline bool is_nested_too_deep(const slot& s) noexcept {
    return s.nesting >= unchecked_nesting && is_stack_nearly_used();
}

inline void check_nesting(const slot& s) {
    if (is_nested_too_deep(s)) [[unlikely]]
        throw_nesting_too_deep();
}

}  // namespace bough
