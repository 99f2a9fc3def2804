#include "park/lot.h"

#include <new>
#include <type_traits>
#include <utility>

#include "machine/asymmetric_fence.h"
#include "machine/futex.h"
#include "stats/counters.h"

namespace bough {
namespace {

constexpr std::size_t everybody = static_cast<std::size_t>(-1);

}  // namespace

// ---- the list ----

void lot::bucket::append(sleeper& s) {
    s.previous = last;
    (last ? last->next : first) = &s;
    last = &s;
    s.listed = true;
}

void lot::bucket::unlink(sleeper& s) {
    (s.previous ? s.previous->next : first) = s.next;
    (s.next ? s.next->previous : last) = s.previous;
    s.next = nullptr;
    s.listed = false;
    // relaxed: a waker that reads too much searches the list in vain.
    asleep.fetch_sub(1, std::memory_order_relaxed);
}

lot::bucket& lot::bucket_of(const void* key) {
    // Fibonacci hashing: the product's upper bits depend on all bits of the address.
    const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(key) * std::uint64_t{0x9e3779b97f4a7c15};
    return buckets_[mixed >> (64 - bucket_bits)];
}

// ---- sleeping ----

lot::stay::stay(lot& l, const void* key, const void* place, std::uintptr_t context)
    : bucket_(l.bucket_of(key)), me_{key, place, context} {
    {
        const std::lock_guard lock(bucket_.mutex);
        // seq_cst: pairs with the load in wake_if. Under the mutex: whoever reads it finds this thread in the list.
        bucket_.asleep.fetch_add(1, std::memory_order_seq_cst);
        bucket_.append(me_);
    }
    // The sleeper's half of the store-load pair with wakers. A fence, because what ready() loads next belongs to others, who
    // load it as they like (oneTBB's headers: relaxed).
    machine::full_fence();
}

lot::stay::~stay() {
    // acquire: pairs with the release in wake_if; the waker is done with this object.
    if (me_.woken.load(std::memory_order_acquire))
        return;
    {
        const std::lock_guard lock(bucket_.mutex);
        if (me_.listed) {
            bucket_.unlink(me_);
            return;
        }
    }
    wait();  // a waker has just taken it off the list and will touch it once more
}

void lot::stay::wait() {
    count(event::parked);
    // acquire: pairs with the release in wake_if.
    while (!me_.woken.load(std::memory_order_acquire))
        machine::futex_wait(me_.woken, 0);
}

// ---- waking ----

template <class Match>
void lot::wake_if(bucket& b, std::size_t most, Match&& match) {
    // seq_cst: the waker's half of the store-load pair with stay::stay.
    if (b.asleep.load(std::memory_order_seq_cst) == 0) [[likely]]
        return;
    sleeper* taken = nullptr;
    sleeper** end = &taken;
    {
        const std::lock_guard lock(b.mutex);
        for (sleeper* s = b.first; s && most != 0;) {
            sleeper* const next = s->next;
            if (match(*s)) {
                b.unlink(*s);
                *end = s;
                end = &s->next;
                --most;
            }
            s = next;
        }
    }
    if (taken)
        count(event::woken);
    while (taken) {  // outside of the mutex: those that wake may want it at once
        sleeper* const s = std::exchange(taken, taken->next);
        const std::atomic<std::uint32_t>* const word = &s->woken;
        // release: pairs with stay::wait. The sleeper may be gone right after: only its address is used below.
        s->woken.store(1, std::memory_order_release);
        machine::futex_wake(word, 1);
    }
}

void lot::wake_all(const void* key) {
    wake_if(bucket_of(key), everybody, [key](const sleeper& s) { return s.key == key; });
}

void lot::wake_one(const void* key) {
    wake_if(bucket_of(key), 1, [key](const sleeper& s) { return s.key == key; });
}

void lot::wake_matching(const void* key, match matches, std::uintptr_t value) {
    wake_if(bucket_of(key), everybody,
            [=](const sleeper& s) { return s.key == key && matches(s.context, value); });
}

void lot::wake_at(const void* place) {
    for (bucket& b : buckets_)
        wake_if(b, everybody, [place](const sleeper& s) { return s.place == place; });
}

void lot::begin_in_child() {
    new (this) lot;
}

lot& process_lot() {
    static_assert(std::is_trivially_destructible_v<lot>);
    static constinit lot one;
    return one;
}

}  // namespace bough
