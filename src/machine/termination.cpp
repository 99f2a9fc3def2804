#include "machine/termination.h"

#include <atomic>

namespace bough {
namespace {

// Asked where an exception was caught, of bad_alloc too: no memory is needed to ask. relaxed: nothing is published with
// it.
constinit std::atomic<bool> terminates{false};

}  // namespace

void machine::set_terminates_on_exception(bool on) noexcept {
    terminates.store(on, std::memory_order_relaxed);
}

bool detail::terminates_on_exception() noexcept {
    return terminates.load(std::memory_order_relaxed);
}

}  // namespace bough
