// global_control: the smallest living parallelism and the largest living stack size hold.

#include "bough/global_control.h"

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

using detail::least_stack_bytes;
using detail::most_threads;

// Under the process's lock.
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

    std::multiset<std::size_t>& values(global_control::parameter p) {
        return p == global_control::max_allowed_parallelism ? parallelism
               : p == global_control::thread_stack_size     ? stack_size
                                                            : terminate;
    }
    void apply(global_control::parameter p) {
        if (p == global_control::max_allowed_parallelism)
            process_crew().set_limit(static_cast<unsigned>(threads()));
        else if (p == global_control::terminate_on_exception)
            machine::set_terminates_on_exception(!terminate.empty() && *terminate.rbegin() != 0);
        else
            process_crew().set_stack_size(stack_size.empty() ? 0 : stack());
    }
};

controls& process_controls() {
    static constinit machine::made_once<controls> one;
    return one.get([] { return controls(); });
}

void check(global_control::parameter p, std::size_t value) {
    if (p == global_control::max_allowed_parallelism && (value < 1 || value > most_threads))
        throw std::invalid_argument("bough::global_control: max_allowed_parallelism is " +
                                    std::to_string(value) + "; allowed are 1 to " +
                                    std::to_string(most_threads));
    if (p == global_control::thread_stack_size && value < least_stack_bytes)
        throw std::invalid_argument("bough::global_control: thread_stack_size is " + std::to_string(value) +
                                    " bytes; allowed are " + std::to_string(least_stack_bytes) + " and more");
}

}  // namespace

static void begin_control(global_control::parameter p, std::size_t value) {
    check(p, value);
    const std::lock_guard lock(machine::process_lock());
    controls& c = process_controls();
    const auto added = c.values(p).insert(value);
    try {
        c.apply(p);  // the first of a process makes the pool
    } catch (...) {
        c.values(p).erase(added);
        throw;
    }
}

global_control::global_control(parameter p, std::size_t value) : parameter_(p), value_(value) {
    detail::or_terminate([=] { begin_control(p, value); });
}

global_control::~global_control() {
    const std::lock_guard lock(machine::process_lock());
    controls& c = process_controls();
    auto& values = c.values(parameter_);
    values.erase(values.find(value_));
    c.apply(parameter_);
}

std::size_t global_control::active_value(parameter p) {
    const std::lock_guard lock(machine::process_lock());
    controls& c = process_controls();
    switch (p) {
    case max_allowed_parallelism:
        return c.threads();
    case thread_stack_size:
        return c.stack();
    case terminate_on_exception:
        return terminates_on_exception() ? 1 : 0;
    }
    return 0;
}

}  // namespace bough
