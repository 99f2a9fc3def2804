#pragma once
// A part: a contiguous interval of a loop's units that one slot works off, and that thieves may take from. README.md
// has the protocol, orderings.md the orderings. Owner calls are for the slot that holds the part; thief and helper
// calls are for any thread. Invariant: the owner writes a plain field only from prepare() until publish(), before
// another thread may read it.

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

// Cache lines of a job that a helper reads: the loop_job's own, and what the template has put behind it.
inline constexpr unsigned job_lines = 3;

// What one thread gives another, or a thief takes: a task, or an interval of a loop. An interval comes with the part
// that the receiver must report to, and with the members [team_first, team_last) of the team that work below the
// receiver. An assignment shares a cache line with the state of the cell in which it is handed over.
template <class Atomics>
struct basic_assignment {
    detail::task* whole = nullptr;  // the task; then the rest is empty
    loop_job* job = nullptr;
    basic_loop_part<Atomics>* parent = nullptr;
    unit first = 0;
    unit last = 0;
    const std::uint16_t* team = nullptr;  // null if the interval was stolen
    std::uint16_t team_first = 0;
    std::uint16_t team_last = 0;
    float ticks_per_unit = 0;  // the giver's estimate; 0: not known

    // Member by member. A copy of the whole would read in wide pieces what was just written in narrow ones, and would
    // wait until those stores have left the core (5 ns of a hand-off).
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

// The pieces of an interval, whose sizes differ by at most one unit.
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

// The same for a loop of at most loop_word::max_pieces units, where each unit is a piece. The compiler knows that, so
// no arithmetic is left.
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

    // Enough for 64 members at any fan_out from 2 to 8 (26). Larger teams: next_child() in team.h. Fewer than the word
    // counts, so that pieces may be stolen meanwhile.
    static constexpr unsigned max_children = 28;

    // Before a thief counts as a helper of the part, it reads only the word and hints: job, isolation, grain,
    // first_slot, older_tasks_end, older_isolated_end. It reads the rest after.
    atomic<std::uint64_t> word{0};

    alignas(cache_line) atomic<loop_job*> job{nullptr};
    plain<basic_loop_part*> parent;  // null for the caller's own part
    plain<piece_map> map;
    // Hints for thieves, which the owner updates before a claim: the grain in pieces, and the speed, 0 if not known.
    atomic<std::uint32_t> grain{1};
    atomic<float> ticks_per_unit{0};
    // 1 + the slot whose unit is the first piece (units_by_slot.h); 0: units have no slots. A hint for thieves, which
    // only loops of a static_partitioner store. A loop that threw leaves it behind until the next such loop ends.
    atomic<std::uint32_t> first_slot{0};
    // Tag of the isolated region that the job belongs to. Thieves read it as they read `job`.
    atomic<std::uintptr_t> isolation{0};
    // Tasks before this place of the slot's queue are older than the part. A hint for thieves, as `job` is.
    atomic<std::int64_t> older_tasks_end{0};
    // The same for the slot's isolated tasks.
    atomic<std::uint64_t> older_isolated_end{0};

    // Owner only: the slots that it handed intervals to.
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
        // acquire: pairs with the last helper's report(); the helpers' reads of this part are over.
        const loop_word w(word.load(std::memory_order_acquire));
        return w.helpers() != 0;
    }

    void prepare(loop_job& j, basic_loop_part* up, std::uintptr_t tag, std::uint32_t hand_offs) {
        describe(j, up, tag);
        // relaxed: a member that is handed an assignment sees this store through the release in try_hand_off().
        const loop_word now(word.load(std::memory_order_relaxed));
        word.store(now.prepared(hand_offs).bits(), std::memory_order_relaxed);
    }

    // For a part of which nothing was handed off: no other thread changes the word before this store. The release in
    // publish_over() pairs with the acquire in look().
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

    // For a part of which intervals were handed off: helpers may already report, so it is one addition. `undone` of the
    // planned hand-offs found no receiver. seq_cst: pairs with the acquire in look(), and is the store of a store-load
    // pair with the alarm, as in publish_over().
    void publish_shared(std::uint32_t claimed, bool open, std::uint32_t undone) {
        word.fetch_add(loop_word::publication(claimed, map.get().pieces, open, undone),
                       std::memory_order_seq_cst);
    }

    // Takes `batch` pieces from the front, or all if at most half a batch would be left. Returns their number; *first
    // is the first of them.
    std::uint32_t claim(std::uint32_t batch, bool open, std::uint32_t* first) {
        loop_word w(word.load(std::memory_order_relaxed));
        while (w.remaining() != 0) {
            const std::uint32_t count = w.remaining() <= batch + batch / 2 ? w.remaining() : batch;
            std::uint64_t bits = w.bits();
            // relaxed: only the count matters. The plain fields were published before, and a CAS continues the release
            // sequence of that store; `grain` is a hint.
            if (word.compare_exchange_weak(bits, w.claimed(count, open).bits(), std::memory_order_relaxed)) {
                *first = w.next();
                return count;
            }
            w = loop_word(bits);
        }
        return 0;
    }

    std::uint32_t remaining() const { return loop_word(word.load(std::memory_order_relaxed)).remaining(); }

    // Takes all that is left off the part, as the job was stopped.
    void drain() {
        std::uint64_t bits = word.load(std::memory_order_relaxed);
        while (
            !word.compare_exchange_weak(bits, loop_word(bits).drained().bits(), std::memory_order_relaxed)) {
        }
    }

    // Counts one helper more, for an interval that the owner itself cuts off. False if there is no room in the count.
    bool add_helper() {
        std::uint64_t bits = word.load(std::memory_order_relaxed);
        while (loop_word(bits).helpers() != loop_word::max_helpers) {
            if (word.compare_exchange_weak(bits, bits + loop_word::one_helper, std::memory_order_relaxed))
                return true;
        }
        return false;
    }

    // True if no helper has yet to report: then the part is done. Else `left` is set, and the last helper will act for
    // the owner.
    bool leave() {
        std::uint64_t bits = word.load(std::memory_order_acquire);
        while (loop_word(bits).helpers() != 0) {
            // release: pairs with report(); the last helper reports what this thread has done, too. The acquire of the
            // loads, here on failure, pairs with report() as well: what the helpers wrote is visible.
            if (word.compare_exchange_weak(bits, loop_word(bits).with_left().bits(),
                                           std::memory_order_release, std::memory_order_acquire))
                return false;
        }
        return true;
    }

    // ---- thief ----

    loop_word look() const {
        // acquire: pairs with publish(). A thread that then changes the word, and so counts as a helper, may read the
        // plain fields. `job` belongs to this generation or a later one.
        return loop_word(word.load(std::memory_order_acquire));
    }

    // Takes the back half, at least one piece and at most `most`, if the word is still `seen`.
    std::optional<assignment> steal(loop_word seen, std::uint32_t most = loop_word::max_pieces) {
        return steal_back(seen, std::min((seen.remaining() + 1) / 2, most));
    }
    // Takes the last `count` pieces.
    std::optional<assignment> steal_back(loop_word seen, std::uint32_t count) {
        std::uint64_t bits = seen.bits();
        // relaxed: see look().
        if (count == 0 || seen.helpers() == loop_word::max_helpers ||
            !word.compare_exchange_strong(bits, seen.stolen(count).bits(), std::memory_order_relaxed))
            return std::nullopt;
        return taken(seen.end() - count, seen.end());
    }

    // Undoes steal_back() in the thread that did it. Only where no other thread takes pieces (balance/README.md).
    void put_back(std::uint32_t count) {
        // relaxed: nothing was done with the pieces.
        word.fetch_sub(loop_word::one_helper - count, std::memory_order_relaxed);
    }

    // Counts the thread as a helper if the word is still `seen`, and takes nothing. Until the thread reports, the part
    // keeps its job, and the job stays alive.
    bool join_in(loop_word seen) {
        std::uint64_t bits = seen.bits();
        // relaxed: see look().
        return seen.remaining() != 0 && seen.helpers() != loop_word::max_helpers &&
               word.compare_exchange_strong(bits, bits + loop_word::one_helper, std::memory_order_relaxed);
    }

    // As steal(), for a thread that counts as a helper already and goes on to do so.
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

    // Counts one interval off. True if it was the last, and the owner has left or sleeps. acq_rel: pairs with the
    // owner's leave(), is_joined() or is_busy(), and with the other helpers' reports; the thread that acts sees all
    // that they wrote. seq_cst: with the parking lot's load in wake_all(), which comes later, this is the waker's half
    // of a store-load pair with a caller that sleeps (park/README.md).
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
        // Store-load pair with the alarm, which the owner reads next; the heavy fence is in alarm::raise().
        Atomics::light_fence();
    }
};

using loop_part = basic_loop_part<machine::atomics>;

// Called by a helper of p that has worked off its interval. The last helper reports for an owner that has left, and so
// on upwards. Returns the caller's part if the caller must be woken. Only the address may be used: the part may be in
// use again.
template <class Atomics>
const basic_loop_part<Atomics>* report_up_from(basic_loop_part<Atomics>* p) {
    for (;;) {
        // Read before the report: after it the part may be in use again.
        basic_loop_part<Atomics>* const up = p->parent.get();
        if (!p->report())
            return nullptr;
        if (!up)
            return p;
        p = up;
    }
}

}  // namespace bough
