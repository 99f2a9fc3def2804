#pragma once
// A contiguous interval of a loop's units that one slot works off, and that others may take from. README.md has the
// protocol. Owner calls are for the slot that holds the part; thief and helper calls are for any thread.
// Invariant: the plain fields are written only between prepare() and publish(), while nobody else may read them.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "bough/config.h"
#include "bough/detail/loop_job.h"
#include "bough/detail/task.h"
#include "machine/atomics.h"
#include "share/loop_word.h"

namespace bough {

using detail::loop_job;
using detail::unit;

template <class Atomics>
struct basic_loop_part;

// Lines of a job that a helper reads: the loop_job's own, and what the template has put behind it.
inline constexpr unsigned job_lines = 3;

// What is on its way to a helper. A task; or units of a loop: which, the part that it must report to, and the members
// [team_first, team_last) of the team that work below it. Shares a cache line with the state of the cell that it is
// handed over in.
template <class Atomics>
struct basic_assignment {
    detail::task* whole = nullptr;  // then the rest is empty
    loop_job* job = nullptr;
    basic_loop_part<Atomics>* parent = nullptr;
    unit first = 0;
    unit last = 0;
    const std::uint16_t* team = nullptr;  // null when it was stolen
    std::uint16_t team_first = 0;
    std::uint16_t team_last = 0;
    float ticks_per_unit = 0;  // as far as its giver knew; 0: not known

    // Member by member: a copy of the whole reads in wide pieces what was just written in narrow ones, and waits until
    // those stores have left the core (5 ns of a hand-off).
    void copy_to(basic_assignment& other) const {
        other.whole = whole;
        other.job = job;
        other.parent = parent;
        other.first = first;
        other.last = last;
        other.team = team;
        other.team_first = team_first;
        other.team_last = team_last;
        other.ticks_per_unit = ticks_per_unit;
    }
};
using assignment = basic_assignment<machine::atomics>;
static_assert(sizeof(assignment) <= 56);

// Pieces of [first, first + units): sizes differ by one at most.
struct piece_map {
    unit first = 0;
    unit each = 1;
    std::uint32_t longer = 0;  // pieces that have one unit more
    std::uint32_t pieces = 0;

    piece_map() = default;
    piece_map(unit begin, unit end) : first(begin) {
        const unit count = end - begin;
        pieces = static_cast<std::uint32_t>(std::min<unit>(count, loop_word::max_pieces));
        if (count > pieces) {
            each = count / pieces;
            longer = static_cast<std::uint32_t>(count % pieces);
        }
    }
    unit begin_of(std::uint32_t piece) const { return first + each * piece + std::min(piece, longer); }
};

// The same for a loop of a few units, each of which is a piece: known at compile time, no arithmetic is left.
struct unit_map {
    std::uint32_t pieces;

    unit begin_of(std::uint32_t piece) const { return piece; }
    operator piece_map() const {
        piece_map same;
        same.pieces = pieces;
        return same;
    }
};

template <class Atomics>
struct alignas(cache_line) basic_loop_part {
    using assignment = basic_assignment<Atomics>;
    template <class T>
    using atomic = typename Atomics::template atomic<T>;
    template <class T>
    using plain = typename Atomics::template plain<T>;

    static constexpr unsigned max_children = 28;  // enough for 64 members at any fan_out from 2 to 8 (26)

    // The job is read by thieves before they hold the part, as a hint; everything else after.
    atomic<std::uint64_t> word{0};

    alignas(cache_line) atomic<loop_job*> job{nullptr};
    plain<basic_loop_part*> parent;  // null for the caller's own part
    plain<piece_map> map;
    // Hints for thieves, published with the owner's claims: pieces; 0 when not known.
    atomic<std::uint32_t> grain{1};
    atomic<float> ticks_per_unit{0};
    // 1 + the slot whose unit is the first piece (units_by_slot.h); 0: units have no slots. A hint for thieves, kept up
    // by static_partitioner's loops only: after one that threw it may be there for a while.
    atomic<std::uint32_t> first_slot{0};
    // Tag of the isolated region that the job belongs to; read like `job`.
    atomic<std::uintptr_t> isolation{0};

    // Owner only: slots that intervals were handed to.
    struct child {
        std::uint16_t slot;
        std::uint64_t ticket;
    };
    child children[max_children];
    std::uint16_t child_count = 0;
    std::uint16_t place = 0;  // in the slot's stack of parts
    bool is_gap = false;      // in the slot's stack of parts, but not in use

    // ---- owner ----

    bool is_busy() const {
        // acquire: pairs with the last helper's report; its reads of this part are over.
        const loop_word w(word.load(std::memory_order_acquire));
        return w.helpers() != 0;
    }

    void prepare(loop_job& j, basic_loop_part* up, std::uintptr_t tag, std::uint32_t hand_offs) {
        describe(j, up, tag);
        // relaxed: whoever gets an assignment sees it through the hand-off's release.
        const loop_word now(word.load(std::memory_order_relaxed));
        word.store(now.prepared(hand_offs).bits(), std::memory_order_relaxed);
    }

    // Where nothing was handed off: then nobody else changes the word before. release: pairs with the acquire in
    // steal().
    void publish(std::uint32_t claimed, bool open) {
        publish_over(loop_word(word.load(std::memory_order_relaxed)), claimed, open);
    }
    // prepare() and publish() in one.
    template <class Map>
    void publish_whole(loop_job& j, std::uintptr_t tag, const Map& m, std::uint32_t claimed) {
        describe(j, nullptr, tag);
        map.set(piece_map(m));
        publish_over(loop_word(word.load(std::memory_order_relaxed)).prepared(0), claimed, false);
    }

    // The same, by a seq_cst operation, where helpers may already report; `undone` of the planned hand-offs found
    // nobody.
    void publish_shared(std::uint32_t claimed, bool open, std::uint32_t undone) {
        word.fetch_add(loop_word::publication(claimed, map.get().pieces, open, undone),
                       std::memory_order_seq_cst);
    }

    // Takes `batch` pieces from the front, or all if less than half a batch would be left; returns their number, *first
    // the first of them.
    std::uint32_t claim(std::uint32_t batch, bool open, std::uint32_t* first) {
        loop_word w(word.load(std::memory_order_relaxed));
        while (w.remaining() != 0) {
            const std::uint32_t count = w.remaining() <= batch + batch / 2 ? w.remaining() : batch;
            std::uint64_t bits = w.bits();
            // relaxed: only the count matters. The plan was published before, and a change of the word by CAS goes on
            // with that release; `grain` is a hint.
            if (word.compare_exchange_weak(bits, w.claimed(count, open).bits(), std::memory_order_relaxed)) {
                *first = w.next();
                return count;
            }
            w = loop_word(bits);
        }
        return 0;
    }

    std::uint32_t remaining() const { return loop_word(word.load(std::memory_order_relaxed)).remaining(); }

    // Nobody shall take the rest: the job was cancelled.
    void drain() {
        std::uint64_t bits = word.load(std::memory_order_relaxed);
        while (
            !word.compare_exchange_weak(bits, loop_word(bits).drained().bits(), std::memory_order_relaxed)) {
        }
    }

    // One helper more, for an interval that the owner itself cuts off; false when there is no room in the count.
    bool add_helper() {
        std::uint64_t bits = word.load(std::memory_order_relaxed);
        while (loop_word(bits).helpers() != loop_word::max_helpers) {
            if (word.compare_exchange_weak(bits, bits + loop_word::one_helper, std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    // True when no helper is out; then the part is done. Else the last helper will act for the owner.
    bool leave() {
        std::uint64_t bits = word.load(std::memory_order_acquire);
        while (loop_word(bits).helpers() != 0) {
            // release: the last helper reports what this thread has done, too; acquire on the way out pairs with
            // report().
            if (word.compare_exchange_weak(bits, loop_word(bits).with_left().bits(),
                                           std::memory_order_release, std::memory_order_acquire))
                return false;
        }
        return true;
    }

    // ---- thief ----

    loop_word look() const {
        // acquire: pairs with publish(); the plan is readable for whoever changes the word then, and counts as a
        // helper; and `job` belongs to this generation or a later one.
        return loop_word(word.load(std::memory_order_acquire));
    }

    // Takes the back half, at least one piece and at the most `most`, if the word is still `seen`.
    std::optional<assignment> steal(loop_word seen, std::uint32_t most = loop_word::max_pieces) {
        return steal_back(seen, std::min((seen.remaining() + 1) / 2, most));
    }
    // Takes so many.
    std::optional<assignment> steal_back(loop_word seen, std::uint32_t count) {
        std::uint64_t bits = seen.bits();
        // relaxed: see look().
        if (count == 0 || seen.helpers() == loop_word::max_helpers ||
            !word.compare_exchange_strong(bits, seen.stolen(count).bits(), std::memory_order_relaxed))
            return std::nullopt;
        return taken(seen.end() - count, seen.end());
    }

    // Counts as a helper without taking anything, if the word is still `seen`: until it reports the job stays what it
    // is.
    bool join_in(loop_word seen) {
        std::uint64_t bits = seen.bits();
        // relaxed: see look().
        return seen.remaining() != 0 && seen.helpers() != loop_word::max_helpers &&
               word.compare_exchange_strong(bits, bits + loop_word::one_helper, std::memory_order_relaxed);
    }

    // As steal(), for one that counts as a helper already, and goes on doing so.
    std::optional<assignment> steal_more(loop_word seen, std::uint32_t most = loop_word::max_pieces) {
        const std::uint32_t count = std::min((seen.remaining() + 1) / 2, most);
        std::uint64_t bits = seen.bits();
        if (count == 0 || !word.compare_exchange_strong(bits, seen.bits() - count, std::memory_order_relaxed))
            return std::nullopt;
        return taken(seen.end() - count, seen.end());
    }

    // ---- helper ----

    assignment taken(std::uint32_t first, std::uint32_t last) {
        return {.job = job.load(std::memory_order_relaxed),
                .parent = this,
                .first = map.get().begin_of(first),
                .last = map.get().begin_of(last),
                .ticks_per_unit = ticks_per_unit.load(std::memory_order_relaxed)};
    }

    // One interval less; true when it was the last and the owner has gone or sleeps. acq_rel: pairs with the owner's
    // leave() or is_joined() and with the other helpers' reports; all they wrote is visible to the one that acts.
    // seq_cst: before the parking lot's load in wake_all, the waker's half of a store-load pair with a caller that
    // sleeps (park/README.md).
    bool report() {
        const loop_word before(word.fetch_sub(loop_word::one_helper, std::memory_order_seq_cst));
        return before.helpers() == 1 && before.left();
    }

    // ---- caller ----

    bool is_joined() const {
        // acquire: pairs with report().
        return loop_word(word.load(std::memory_order_acquire)).helpers() == 0;
    }

private:
    void describe(loop_job& j, basic_loop_part* up, std::uintptr_t tag) {
        parent.set(up);
        isolation.store(tag, std::memory_order_relaxed);
        child_count = 0;
        grain.store(1, std::memory_order_relaxed);
        ticks_per_unit.store(0, std::memory_order_relaxed);
        job.store(&j, std::memory_order_relaxed);
    }

    void publish_over(loop_word prepared, std::uint32_t claimed, bool open) {
        word.store(prepared.bits() + loop_word::publication(claimed, map.get().pieces, open, 0),
                   std::memory_order_release);
        // Store-load pair with the alarm that the caller reads next; the heavy fence is in alarm::raise().
        Atomics::light_fence();
    }
};

using loop_part = basic_loop_part<machine::atomics>;

// A helper of p has done its interval; the last one reports for an owner that has gone, and so on upwards. Returns the
// caller's part if the caller has to be woken: its address only, since the part may be used anew.
template <class Atomics>
const basic_loop_part<Atomics>* report_up_from(basic_loop_part<Atomics>* p) {
    for (;;) {
        // Read first: after the report the part may be used anew.
        basic_loop_part<Atomics>* const up = p->parent.get();
        if (!p->report())
            return nullptr;
        if (!up)
            return p;
        p = up;
    }
}

}  // namespace bough
