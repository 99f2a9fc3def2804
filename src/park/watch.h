#pragma once
// Which of an arena's threads looks at what is published: the watcher's role, how many workers are inside, how many
// callers sleep, and the alarm that publishers read. README.md has the roles, and why nothing that is published is
// forgotten. Throughout, has_work() looks at everything that is published, seq_cst, and call() makes the call.

#include <cstdint>

#include "bough/config.h"
#include "park/alarm.h"

namespace bough {

template <class Atomics>
class basic_watch {
public:
    basic_alarm<Atomics> alarm;

    // ---- workers ----

    // seq_cst: see try_leave().
    void enter() { inside_.fetch_add(1, std::memory_order_seq_cst); }
    struct present {
        unsigned inside, blocked;
        unsigned all() const { return inside + blocked; }
    };
    present workers() const {
        const std::uint32_t both = inside_.load(std::memory_order_seq_cst);
        return {both % one_blocked, both / one_blocked};
    }

    // relaxed: a hint.
    std::uint32_t inside_hint() const { return inside_.load(std::memory_order_relaxed) % one_blocked; }

    // Takes the role if it is free. `who` is the number of the worker's slot, counted from 1.
    bool try_watch(std::uint32_t who) {
        std::uint32_t none = 0;
        // seq_cst: pairs with the load of the role in try_leave() and begin_blocking().
        if (watcher_.load(std::memory_order_relaxed) != 0 ||
            !watcher_.compare_exchange_strong(none, who, std::memory_order_seq_cst))
            return false;
        alarm.lower();
        return true;
    }
    // The watcher sleeps until a call wakes this place, but at most most_ns, and stays the watcher. Does not sleep if
    // ready(), nor if it was called since the alarm said that it sleeps. True: it was called.
    // A publisher that asks the alarm either finds it asleep, and its call finds this thread in the list; or it has
    // answered before the sleeper asks here, or comes after its sleep. Nothing rests on that but time.
    template <class Parking_lot, class Ready>
    bool doze(Parking_lot& where, const void* place, std::uint64_t most_ns, Ready&& ready) {
        where.sleep(&watcher_, place, [&] { return alarm.is_quiet() || ready(); }, 0, most_ns);
        return alarm.is_quiet();
    }
    // Wakes a watcher that sleeps, so that it asks at once what its ready() asks. Nobody has called.
    template <class Parking_lot>
    void rouse(Parking_lot& where) const {
        where.wake_all(&watcher_);
    }
    bool is_watched() const { return watcher_.load(std::memory_order_seq_cst) != 0; }

    // A worker wants to go, or must. False: it stays, since something was published and must() is false. If the worker
    // had the role, the role is free now. must() is asked while the worker does not count as inside.
    template <class Look, class Must, class Call>
    bool try_leave(bool watches, Look&& has_work, Must&& must, Call&& call) {
        if (watches)
            watcher_.store(0, std::memory_order_seq_cst);
        // seq_cst: pairs with stop(). Either the watcher that takes work now sees that this worker is missing, or this
        // worker sees that no worker watches.
        inside_.fetch_sub(1, std::memory_order_seq_cst);
        if (!watches && is_watched())
            return true;
        alarm.raise();
        if (!has_work())
            return true;
        if (must()) {
            call();
            return true;
        }
        inside_.fetch_add(1, std::memory_order_seq_cst);
        return false;
    }

    // A worker sleeps inside something else, and looks at nothing else meanwhile: for the others it is missing. It does
    // not have the role. `ask` asks for another worker. It need not wake callers that sleep: each has looked after its
    // own raise, and a watcher that lowers the alarm later raises it again over them (stop).
    template <class Look, class Ask>
    void begin_blocking(Look&& has_work, Ask&& ask) {
        // seq_cst: as in try_leave().
        inside_.fetch_add(one_blocked - 1, std::memory_order_seq_cst);
        if (is_watched())
            return;
        alarm.raise();
        if (has_work())
            ask();
    }
    void end_blocking() { inside_.fetch_sub(one_blocked - 1, std::memory_order_seq_cst); }

    // A worker takes work, and looks at nothing as long as that lasts. `allowed(blocked)`: how many workers may be
    // inside while so many are blocked.
    template <class Allowed, class Look, class Call>
    void stop(bool watches, Allowed&& allowed, Look&& has_work, Call&& call) {
        if (watches)
            watcher_.store(0, std::memory_order_seq_cst);  // pairs with try_leave()
        // seq_cst: the first load pairs with try_leave() and begin_blocking(), the load of asleep_ with sleep(). The
        // first load comes before the limit is read (pairs with set_limit()): a thread that counts a worker which came
        // for a new limit sees that limit too.
        const auto [inside, blocked] = workers();
        if (inside >= allowed(blocked) && asleep_.load(std::memory_order_seq_cst) == 0)
            return;  // all allowed workers are awake: each looks before it leaves
        // Asked last: with each loop another worker writes there, and all come here before they pass work on.
        if (!watches && watcher_.load(std::memory_order_relaxed) != 0)
            return;  // the watcher comes here later, when it stops watching
        alarm.raise();
        if (has_work())
            call();
    }

    // ---- callers ----

    // Sleeps in the parking lot until a thread wakes it by key, or a call wakes this place, but at most most_ns. Does
    // not sleep if ready(), which looks at what is published too.
    template <class Parking_lot, class Ready>
    void sleep(Parking_lot& where, const void* key, const void* place, Ready&& ready,
               std::uintptr_t context = 0, std::uint64_t most_ns = Parking_lot::forever) {
        // seq_cst: pairs with stop(). A watcher that has lowered the alarm must not leave it quiet over a sleeper.
        asleep_.fetch_add(1, std::memory_order_seq_cst);
        // First this thread enters the list, then it raises the alarm, then it takes a last look. A thread that
        // publishes afterwards sees the alarm, and its call finds this thread in the list.
        where.sleep(
            key, place,
            [&] {
                alarm.raise();
                return ready();
            },
            context, most_ns);
        asleep_.fetch_sub(1, std::memory_order_relaxed);
    }

    // ---- for a report; may be out of date at once ----

    std::uint32_t watcher() const { return watcher_.load(std::memory_order_relaxed); }  // 0: none
    std::uint32_t callers_asleep() const { return asleep_.load(std::memory_order_relaxed); }

private:
    using number = typename Atomics::template atomic<std::uint32_t>;

    static constexpr std::uint32_t one_blocked = 1u << 16;  // more than an arena has slots

    // `who` of the worker that watches, 0 for none. Only workers touch it.
    alignas(cache_line) number watcher_{0};
    // On a line that does not change while workers stay and callers are awake.
    alignas(cache_line) number inside_{0};  // workers; those that are blocked count one_blocked each
    number asleep_{0};                      // callers that sleep, or are about to
};

using watch = basic_watch<machine::atomics>;

}  // namespace bough
