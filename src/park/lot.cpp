#include "park/lot.h"

#include "machine/futex.h"

namespace bough {

void lot::enter(sleeper& s) {
    const std::lock_guard lock(mutex_);
    s.next = first_;
    if (first_)
        first_->previous = &s;
    first_ = &s;
}

void lot::unlink(sleeper& s) {
    (s.previous ? s.previous->next : first_) = s.next;
    if (s.next)
        s.next->previous = s.previous;
}

void lot::leave(sleeper& s) {
    const std::lock_guard lock(mutex_);
    if (!s.woken.load(std::memory_order_relaxed))
        unlink(s);
}

void lot::wait(sleeper& s) {
    // acquire: pairs with the release in wake_if.
    while (!s.woken.load(std::memory_order_acquire))
        machine::futex_wait(s.woken, 0);
}

template <class Match>
void lot::wake_if(Match&& match) {
    const std::lock_guard lock(mutex_);
    for (sleeper* s = first_; s;) {
        sleeper* next = s->next;
        if (match(*s)) {
            unlink(*s);
            const std::atomic<std::uint32_t>* word = &s->woken;
            // The sleeper may be gone right after this store: only the address of its word is used below.
            s->woken.store(1, std::memory_order_release);
            machine::futex_wake(word, 1);
        }
        s = next;
    }
}

void lot::wake_all(const void* key) {
    wake_if([key](const sleeper& s) { return s.key == key; });
}

void lot::wake_at(const void* place) {
    wake_if([place](const sleeper& s) { return s.place == place; });
}

lot& process_lot() {
    static lot* one = new lot;
    return *one;
}

}  // namespace bough
