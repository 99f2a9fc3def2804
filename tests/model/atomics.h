#pragma once
// The atomics of a program under exploration, in the place of machine/atomics.h's.

#include <bit>
#include <cstring>
#include <functional>
#include <source_location>
#include <type_traits>

#include "model/explorer.h"

namespace bough::model {

template <class T>
class atomic {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(word));
    using here = std::source_location;

public:
    atomic() : atomic(T{}) {}
    atomic(T value) : location_(new_location(to_word(value))) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load(std::memory_order o, here at = here::current()) const {
        return to_value(model::load(location_, {kind::load, o, o, at}));
    }
    void store(T value, std::memory_order o, here at = here::current()) {
        model::store(location_, to_word(value), {kind::store, o, o, at});
    }
    T exchange(T value, std::memory_order o, here at = here::current()) {
        return to_value(modify(location_, {kind::exchange, o, o, at}, [&](word) { return to_word(value); }));
    }
    T fetch_add(T value, std::memory_order o, here at = here::current()) {
        return to_value(modify(location_, {kind::add, o, o, at}, [&](word before) {
            return to_word(static_cast<T>(to_value(before) + value));
        }));
    }
    T fetch_sub(T value, std::memory_order o, here at = here::current()) {
        return fetch_add(static_cast<T>(T{} - value), o, at);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order o, std::memory_order on_failure,
                                 here at = here::current()) {
        word seen = to_word(expected);
        const bool done = model::compare_exchange(location_, seen, to_word(desired),
                                                  {kind::compare_exchange, o, on_failure, at});
        expected = to_value(seen);
        return done;
    }
    // Never fails for nothing: a loop around it would only try again.
    bool compare_exchange_weak(T& expected, T desired, std::memory_order o, std::memory_order on_failure,
                               here at = here::current()) {
        return compare_exchange_strong(expected, desired, o, on_failure, at);
    }

private:
    static word to_word(T value) {
        word w = 0;
        std::memcpy(&w, &value, sizeof(T));
        return w;
    }
    static T to_value(word w) {
        T value;
        std::memcpy(&value, &w, sizeof(T));
        return value;
    }

    location location_;
};

// A variable that is not atomic. Only whether its accesses race is modelled; the value is that of the last write.
template <class T>
class plain {
public:
    explicit plain(T value) : value_(value), written_(new_location(0)), read_(new_location(0)) {
        plain_write(written_, read_);
    }
    T get() const {
        plain_read(written_, read_);
        return value_;
    }
    void set(T value) {
        plain_write(written_, read_);
        value_ = value;
    }

private:
    T value_;
    location written_, read_;
};

// What lock-free parts are parameterised with.
struct atomics {
    template <class T>
    using atomic = model::atomic<T>;
    template <class T>
    using plain = model::plain<T>;
    static constexpr bool has_pages = false;
    // Each stands for both sides' full fence.
    static void light_fence(std::source_location at = std::source_location::current()) {
        fence({kind::fence, std::memory_order_seq_cst, std::memory_order_seq_cst, at});
    }
    static void heavy_fence(std::source_location at = std::source_location::current()) { light_fence(at); }
    static void signal_fence() {}  // handlers run between accesses as they stand in the source
    template <class Event>
    static void count(Event, unsigned long) {}
};

}  // namespace bough::model
