#include "worker/nesting.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "bough/errors.h"
#include "machine/stack.h"

namespace bough {
namespace {

// Unwinding needs some 10 KiB, and a body some for itself.
constexpr std::size_t reserve = std::size_t{32} << 10;

}  // namespace

nesting_too_deep::nesting_too_deep()
    : std::runtime_error(
          "bough: calls are nested so deeply that the stack of this thread is nearly used up; cut the "
          "recursion off earlier, or give the thread a larger stack") {}
nesting_too_deep::~nesting_too_deep() = default;

bool is_stack_nearly_used() noexcept {
    return machine::stack::left() < reserve;
}

void throw_nesting_too_deep() {
    throw nesting_too_deep();
}

void end_nesting_too_deep() noexcept {
    std::fprintf(stderr, "%s\n", nesting_too_deep().what());
    std::abort();
}

}  // namespace bough
