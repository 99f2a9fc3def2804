// global_control. Of the objects that live now, the smallest parallelism and the largest stack size hold. Exceptions
// terminate the process if any object says so.

#include "bough/exports/control.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

#include "bough/detail/bounds.h"
#include "bough/detail/raise.h"
#include "machine/once.h"
#include "machine/termination.h"
#include "machine/thread.h"
#include "profile/tuning.h"
#include "worker/crew.h"

namespace bough {
namespace {

using detail::control;
using detail::least_stack_bytes;
using detail::most_threads;

// The values of the objects that live now. Guarded by the process's lock.
struct controls {
    std::multiset<std::size_t> parallelism;
    std::multiset<std::size_t> stack_size;
    std::multiset<std::size_t> terminate;

    std::size_t threads() const {
        return parallelism.empty() ? std::max(1u, process_tuning().threads) : *parallelism.begin();
    }
    std::size_t stack() const {
        return stack_size.empty() ? machine::default_stack_size() : *stack_size.rbegin();
    }

    std::multiset<std::size_t>& values(control p) {
        return p == control::parallelism ? parallelism : p == control::stack_size ? stack_size : terminate;
    }
    void apply(control p) {
        if (p == control::parallelism)
            process_crew().set_limit(static_cast<unsigned>(threads()));
        else if (p == control::terminate)
            machine::set_terminates_on_exception(!terminate.empty() && *terminate.rbegin() != 0);
        else
            process_crew().set_stack_size(stack_size.empty() ? 0 : stack());
    }
};

controls& process_controls() {
    static constinit machine::made_once<controls> one;
    return one.get([] { return controls(); });
}

void check(control p, std::size_t value) {
    if (p == control::parallelism && (value < 1 || value > most_threads))
        throw std::invalid_argument("bough::global_control: max_allowed_parallelism is " +
                                    std::to_string(value) + "; allowed are 1 to " +
                                    std::to_string(most_threads));
    if (p == control::stack_size && value < least_stack_bytes)
        throw std::invalid_argument("bough::global_control: thread_stack_size is " + std::to_string(value) +
                                    " bytes; allowed are " + std::to_string(least_stack_bytes) + " and more");
}

}  // namespace

namespace detail {

static void try_to_begin(control c, std::size_t value) {
    check(c, value);
    const std::lock_guard lock(machine::process_lock());
    controls& all = process_controls();
    const auto added = all.values(c).insert(value);
    try {
        all.apply(c);  // the first one in a process makes the crew
    } catch (...) {
        all.values(c).erase(added);
        throw;
    }
}

void begin_control(control c, std::size_t value) {
    or_terminate([=] { try_to_begin(c, value); });
}

void end_control(control c, std::size_t value) noexcept {
    const std::lock_guard lock(machine::process_lock());
    controls& all = process_controls();
    auto& values = all.values(c);
    values.erase(values.find(value));
    all.apply(c);
}

std::size_t control_in_force(control c) {
    const std::lock_guard lock(machine::process_lock());
    const controls& all = process_controls();
    switch (c) {
    case control::parallelism:
        return all.threads();
    case control::stack_size:
        return all.stack();
    case control::terminate:
        return terminates_on_exception() ? 1 : 0;
    }
    return 0;
}

}  // namespace detail
}  // namespace bough
