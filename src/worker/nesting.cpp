#include "worker/nesting.h"

#include <algorithm>
#include <string>

#include "bough/errors.h"
#include "machine/stack.h"
#include "worker/fork.h"
#include "worker/this_thread.h"

namespace bough {
namespace {

// Unwinding needs some 10 KiB, and a body some for itself, half of this: more where the stack was chosen large.
std::size_t reserve_of(std::size_t stack) {
    constexpr std::size_t least = std::size_t{32} << 10, most = std::size_t{512} << 10;
    return std::clamp(stack / 16, least, most);
}

}  // namespace

nesting_too_deep::nesting_too_deep()
    : std::runtime_error(
          "bough: calls are nested so deeply that the stack of this thread is nearly used up; cut the "
          "recursion off earlier, or give the thread a larger stack") {}
nesting_too_deep::~nesting_too_deep() = default;

bool is_stack_nearly_used() noexcept {
    const auto [left, size] = machine::stack::here();
    return left < reserve_of(size);
}

void throw_nesting_too_deep() {
    throw nesting_too_deep();
}

void detail::check_stack() {
    if (const slot* s = current_slot)
        check_not_forked_inside(*s);
    if (is_stack_nearly_used())
        throw_nesting_too_deep();
}

}  // namespace bough
