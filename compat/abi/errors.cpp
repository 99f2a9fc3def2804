// Exceptions and failed assertions: every throw of oneTBB's headers ends in throw_exception(), so that the exception
// classes have one home. Any thread. Types and messages are those that programs written for oneTBB catch and print.

#include <oneapi/tbb/detail/_assert.h>
#include <oneapi/tbb/detail/_exception.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "newer.h"

namespace tbb::detail::r1 {

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
        throw std::bad_alloc();
    case exception_id::bad_last_alloc:
        throw bad_last_alloc();
    case exception_id::user_abort:
        throw user_abort();
    case exception_id::nonpositive_step:
        throw std::invalid_argument("Step must be positive");
    case exception_id::out_of_range:
        throw std::out_of_range("Index out of requested size range");
    case exception_id::reservation_length_error:
        throw std::length_error("Attempt to exceed implementation defined length limits");
    case exception_id::missing_wait:
        throw missing_wait();
    case exception_id::invalid_load_factor:
        throw std::out_of_range("Invalid hash load factor");
    case exception_id::invalid_key:
        throw std::out_of_range("invalid key");
    case exception_id::bad_tagged_msg_cast:
        throw std::runtime_error("Illegal tagged_msg cast");
    case exception_id::unsafe_wait:
        throw unsafe_wait("Unsafe to wait further");
    case exception_id::last_entry:
        break;
    }
    // Headers newer than this library. oneTBB returns here; the caller's next line counts on not being reached.
    throw std::runtime_error("oneTBB exception " + std::to_string(static_cast<int>(id)));
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
