#include "worker/nesting.h"

#include <string>

#include "bough/detail/raise.h"
#include "bough/errors.h"
#include "machine/stack.h"
#include "worker/crew.h"
#include "worker/process_fork.h"
#include "worker/this_thread.h"

namespace bough {

nesting_too_deep::nesting_too_deep()
    : std::runtime_error(
          "bough: calls are nested so deeply that the stack of this thread is nearly used up; cut the "
          "recursion off earlier, or give the thread a larger stack") {}
nesting_too_deep::~nesting_too_deep() = default;

bool is_stack_nearly_used() noexcept {
    return machine::stack::is_nearly_used();
}

// False for a thread with only_below: what it may take descends from what it waits for, and nests no deeper than that.
bool must_leave_work_to_others(const slot& s) noexcept {
    return machine::stack::is_half_used() && !s.only_below && s.home.worker_slots() != 0 &&
           crew_limits.can_have_workers();
}

void throw_nesting_too_deep() {
    detail::raise(nesting_too_deep());
}

void detail::check_stack() {
    if (const slot* s = current_slot)
        check_not_inside_at_process_fork(*s);
    if (machine::stack::is_nearly_used()) [[unlikely]]
        throw_nesting_too_deep();
}

}  // namespace bough
