#pragma once
// Throws exceptions of bough's own, and rethrows those of bodies in the threads that wait for them. While a
// global_control::terminate_on_exception lives, the process ends there instead, and the program's terminate handler
// sees the exception.

#include <exception>
#include <utility>

#include "../config.h"
#include "../exports/termination.h"

namespace bough::detail {

// Calls f. Every exception that f throws is one that leaves the library.
template <class F>
decltype(auto) or_terminate(F&& f) {
    try {
        return std::forward<F>(f)();
    } catch (...) {
        if (terminates_on_exception())
            std::terminate();
        throw;
    }
}

template <class E>
[[noreturn]] BOUGH_COLD void raise(E e) {
    or_terminate([&]() -> void { throw std::move(e); });
    std::terminate();  // not reached
}

[[noreturn]] inline BOUGH_COLD void raise_again(std::exception_ptr e) {
    or_terminate([&]() -> void { std::rethrow_exception(std::move(e)); });
    std::terminate();  // not reached
}

}  // namespace bough::detail
