#pragma once
// The atomics of a program under exploration, in the place of machine/atomics.h's.

#include <bit>
#include <cstring>
#include <functional>
#include <memory>
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
    T fetch_or(T value, std::memory_order o, here at = here::current()) {
        return to_value(
            modify(location_, {kind::add, o, o, at}, [&](word before) { return before | to_word(value); }));
    }
    T fetch_and(T value, std::memory_order o, here at = here::current()) {
        return to_value(
            modify(location_, {kind::add, o, o, at}, [&](word before) { return before & to_word(value); }));
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
    // The failed one has what is left of the order without a store.
    bool compare_exchange_strong(T& expected, T desired, std::memory_order o, here at = here::current()) {
        const std::memory_order on_failure = o == std::memory_order_acq_rel   ? std::memory_order_acquire
                                             : o == std::memory_order_release ? std::memory_order_relaxed
                                                                              : o;
        return compare_exchange_strong(expected, desired, o, on_failure, at);
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order o, here at = here::current()) {
        return compare_exchange_strong(expected, desired, o, at);
    }
    // Never fails for nothing: a loop around it would only try again.
    bool compare_exchange_weak(T& expected, T desired, std::memory_order o, std::memory_order on_failure,
                               here at = here::current()) {
        return compare_exchange_strong(expected, desired, o, on_failure, at);
    }

    void wait_on_futex(T expected) const { futex_wait(this, location_, to_word(expected)); }

protected:
    void retire() { model::retire(location_); }

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
    plain() : plain(T{}) {}
    explicit plain(T value) : value_(value) { plain_write(location_); }
    plain(const plain&) = delete;
    plain& operator=(const plain&) = delete;

    const T& get() const {
        plain_read(location_);
        return value_;
    }
    void set(const T& value) {
        plain_write(location_);
        value_ = value;
    }
    template <class Write>
    void write(Write&& write) {
        plain_write(location_);
        write(value_);
    }

private:
    T value_;
    location location_ = new_location(0);
};

// Of an object whose end is a part of the protocol: every access comes before it.
template <class T>
class mortal_atomic : public atomic<T> {
    using here = std::source_location;

public:
    mortal_atomic(T value = T{}) : atomic<T>(value) {}
    ~mortal_atomic() {
        life_.set(0);
        this->retire();
    }
    T load(std::memory_order o, here at = here::current()) const {
        life_.get();
        return atomic<T>::load(o, at);
    }
    void store(T value, std::memory_order o, here at = here::current()) {
        life_.get();
        atomic<T>::store(value, o, at);
    }
    T fetch_sub(T value, std::memory_order o, here at = here::current()) {
        life_.get();
        return atomic<T>::fetch_sub(value, o, at);
    }
    bool compare_exchange_strong(T& expected, T desired, std::memory_order o, std::memory_order on_failure,
                                 here at = here::current()) {
        life_.get();
        return atomic<T>::compare_exchange_strong(expected, desired, o, on_failure, at);
    }
    bool compare_exchange_weak(T& expected, T desired, std::memory_order o, std::memory_order on_failure,
                               here at = here::current()) {
        return compare_exchange_strong(expected, desired, o, on_failure, at);
    }

private:
    plain<char> life_{0};
};

class mutex {
public:
    void lock() { model::lock(held_); }
    void unlock() { model::unlock(held_); }

private:
    location held_ = new_location(0);
};

// What lock-free parts are parameterised with.
struct atomics {
    template <class T>
    using atomic = model::atomic<T>;
    template <class T>
    using plain = model::plain<T>;
    static constexpr bool has_pages = false;
    using here = std::source_location;
    static void light_fence(here at = here::current()) { fence_of(kind::light_fence, at); }
    static void heavy_fence(here at = here::current()) { fence_of(kind::heavy_fence, at); }
    static void full_fence(here at = here::current()) { fence_of(kind::fence, at); }
    static void signal_fence() {}  // handlers run between accesses as they stand in the source
    template <class Event>
    static void count(Event, unsigned long = 1) {}
    static void pause() { model::pause(); }
    struct spin_wait {
        void pause() { model::pause(); }
    };
    using mutex = model::mutex;
    static constexpr unsigned parking_lot_bits = 0;  // one list
    template <class T>
    static void futex_wait(const atomic<T>& w, std::type_identity_t<T> expected) {
        w.wait_on_futex(expected);
    }
    // The time may be up at once.
    template <class T>
    static void futex_wait_for(const atomic<T>&, std::type_identity_t<T>, std::uint64_t) {}
    template <class T>
    static void futex_wake(const atomic<T>* w, int count) {
        model::futex_wake(w, static_cast<unsigned>(count));
    }
    // The memory is the program's: an access after the end must still find it.
    template <class T>
    static void dispose(T* object) {
        std::destroy_at(object);
    }

private:
    static void fence_of(kind what, here at) {
        fence({what, std::memory_order_seq_cst, std::memory_order_seq_cst, at});
    }
};
// Where objects end while others may still have them.
struct mortal_atomics : atomics {
    template <class T>
    using atomic = mortal_atomic<T>;
};

}  // namespace bough::model
