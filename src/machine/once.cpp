#include "machine/once.h"

#include <new>
#include <type_traits>

namespace bough::machine {
namespace {

constinit std::recursive_mutex lock;
static_assert(std::is_trivially_destructible_v<std::recursive_mutex>);

}  // namespace

std::recursive_mutex& process_lock() {
    return lock;
}

void begin_process_lock_in_child() noexcept {
    new (&lock) std::recursive_mutex;
}

}  // namespace bough::machine
