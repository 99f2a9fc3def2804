#pragma once
// Lets one token at a time into a serial stage, and holds the others back. Any thread may bring a token; none waits.
// Invariant: at most one token is inside, tokens enter by ascending turn, and whoever has the word taken owns every
// other field. A token that is held back may be let in, and be gone, at once. README.md has the protocol.

#include <atomic>
#include <cstdint>

#include "bough/config.h"
#include "machine/atomics.h"
#include "pipeline/token.h"

namespace bough {

enum class turns : std::uint8_t {
    by_arrival,
    by_place  // 0, 1, 2 ... each comes once
};

template <class Atomics>
class basic_turnstile {
public:
    explicit basic_turnstile(turns t) : turns_(t) {}
    basic_turnstile(const basic_turnstile&) = delete;
    basic_turnstile& operator=(const basic_turnstile&) = delete;

    // A token wants to enter. Returns who has been let in: this one, another, or null. The caller has that one in hand
    // now.
    token* arrive(token& t) noexcept;

    // ---- by whoever is inside ----

    // Returns who is inside now, as above.
    token* leave() noexcept {
        ++turn_;
        return admit();
    }
    bool has_waiting() const noexcept {
        return !waiting_.is_empty() || word_.load(std::memory_order_relaxed) != taken();
    }

private:
    token* admit() noexcept;
    void take_in(token* newest_first) noexcept;
    void give_turn(token& t) noexcept { t.turn = turns_ == turns::by_place ? t.place : arrivals_++; }

    // Of the word: nobody is inside; somebody is; or the newest of those that have come since.
    static constexpr token* free = nullptr;
    token* taken() const noexcept { return reinterpret_cast<token*>(const_cast<basic_turnstile*>(this)); }

    typename Atomics::template atomic<token*> word_{free};
    waiting_tokens waiting_;
    std::uint64_t turn_ = 0;  // whose turn it is, or who is inside
    std::uint64_t arrivals_ = 0;
    const turns turns_;
};

template <class Atomics>
token* basic_turnstile<Atomics>::arrive(token& t) noexcept {
    token* seen = word_.load(std::memory_order_relaxed);
    do {
        if (seen != free)
            t.next = seen == taken() ? nullptr : seen;
        // release: pairs with the exchange in admit(); the token is visible. acquire: pairs with the CAS in admit(); so
        // is what the last one did inside.
    } while (!word_.compare_exchange_weak(seen, seen == free ? taken() : &t, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    if (seen != free)
        return nullptr;
    give_turn(t);
    if (t.turn == turn_)
        return &t;
    waiting_.push(t);
    return admit();
}

// Lets in whose turn it is, or opens for all.
template <class Atomics>
token* basic_turnstile<Atomics>::admit() noexcept {
    for (;;) {
        if (!waiting_.is_empty() && waiting_.first().turn == turn_)
            return &waiting_.pop();
        token* seen = taken();
        // release: pairs with arrive(). The last that this thread touches here.
        if (word_.compare_exchange_strong(seen, free, std::memory_order_release, std::memory_order_relaxed))
            return nullptr;
        // acquire: pairs with arrive().
        take_in(word_.exchange(taken(), std::memory_order_acquire));
    }
}

template <class Atomics>
void basic_turnstile<Atomics>::take_in(token* newest_first) noexcept {
    token* in_order = nullptr;
    while (token* const t = newest_first) {
        newest_first = t->next;
        t->next = in_order;
        in_order = t;
    }
    while (token* const t = in_order) {
        in_order = t->next;
        give_turn(*t);
        waiting_.push(*t);
    }
}

using turnstile = basic_turnstile<machine::atomics>;
// In turnstile.cpp.
extern template class basic_turnstile<machine::atomics>;

}  // namespace bough
