#pragma once
// A field that is its thread's alone, read by the watchdog for a report: a value that is out of date does no harm
// there, and an atomic field would be more instructions on the way of every loop.

namespace bough::machine {

// Of one machine word at the most, which is read whole.
template <class T>
[[gnu::no_sanitize_thread]] T read_racily(const T& field) noexcept {
    static_assert(sizeof(T) <= sizeof(void*));
    return const_cast<const volatile T&>(field);
}

}  // namespace bough::machine
