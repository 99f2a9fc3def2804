// Exceptions and failed assertions: every throw of oneTBB's headers ends in throw_exception(), so that the exception
// classes have one home. Any thread. Types and messages are those that programs written for oneTBB catch and print.

#include <bough/detail/raise.h>

#include <oneapi/tbb/detail/_assert.h>
#include <oneapi/tbb/detail/_exception.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include "newer.h"

namespace tbb::detail::r1 {

using bough::detail::raise;

// ---- exceptions ----

// The first virtual function of each class: vtables and type information are emitted here, unsafe_wait's by its throw.
const char* bad_last_alloc::what() const noexcept(true) {
    return "bad allocation in previous or concurrent attempt";
}
const char* user_abort::what() const noexcept(true) {
    return "User-initiated abort has terminated this operation";
}
const char* missing_wait::what() const noexcept(true) {
    return "wait() was not called on the structured_task_group";
}

void throw_exception(exception_id id) {
    switch (id) {
    case exception_id::bad_alloc:
        raise(std::bad_alloc());
    case exception_id::bad_last_alloc:
        raise(bad_last_alloc());
    case exception_id::user_abort:
        raise(user_abort());
    case exception_id::nonpositive_step:
        raise(std::invalid_argument("Step must be positive"));
    case exception_id::out_of_range:
        raise(std::out_of_range("Index out of requested size range"));
    case exception_id::reservation_length_error:
        raise(std::length_error("Attempt to exceed implementation defined length limits"));
    case exception_id::missing_wait:
        raise(missing_wait());
    case exception_id::invalid_load_factor:
        raise(std::out_of_range("Invalid hash load factor"));
    case exception_id::invalid_key:
        raise(std::out_of_range("invalid key"));
    case exception_id::bad_tagged_msg_cast:
        raise(std::runtime_error("Illegal tagged_msg cast"));
    case exception_id::unsafe_wait:
        raise(unsafe_wait("Unsafe to wait further"));
    case exception_id::last_entry:
        break;
    }
    // Headers newer than this library. oneTBB returns here; the caller's next line counts on not being reached.
    raise(std::runtime_error("oneTBB exception " + std::to_string(static_cast<int>(id))));
}

// ---- assertions ----

namespace {

void report_and_abort(const char* location, int line, const char* expression, const char* comment) {
    std::fprintf(stderr, "Assertion %s failed (located in the %s function, line in file: %d)\n", expression,
                 location, line);
    if (comment)
        std::fprintf(stderr, "Detailed description: %s\n", comment);
    std::fflush(stderr);
    std::abort();
}

std::atomic<assertion_handler_type> handler{report_and_abort};

}  // namespace

void assertion_failure(const char* location, int line, const char* expression, const char* comment) {
    // acquire: pairs with set_assertion_handler; what the handler needs was set up before.
    handler.load(std::memory_order_acquire)(location, line, expression, comment);
}

assertion_handler_type set_assertion_handler(assertion_handler_type new_handler) noexcept {
    // acq_rel: pairs with the loads and with other exchanges.
    return handler.exchange(new_handler ? new_handler : report_and_abort, std::memory_order_acq_rel);
}

assertion_handler_type get_assertion_handler() noexcept {
    // acquire: pairs with set_assertion_handler; the caller may call what it gets.
    return handler.load(std::memory_order_acquire);
}

}  // namespace tbb::detail::r1
