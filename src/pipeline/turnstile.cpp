#include "pipeline/turnstile.h"

namespace bough {

token* turnstile::arrive(token& t) noexcept {
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
token* turnstile::admit() noexcept {
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

void turnstile::take_in(token* newest_first) noexcept {
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

}  // namespace bough
