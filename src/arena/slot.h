#pragma once
// A numbered slot of an arena: an inbox that other threads write to, and the loop parts and the local queue of the
// thread that sits in it. Type-stable: made at its first use, freed with the arena. The owner is the thread that sits
// here.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "arena/fibers.h"
#include "arena/observers.h"
#include "balance_seat.h"
#include "bough/config.h"
#include "bough/detail/cancel_node.h"
#include "bough/detail/dispatch.h"
#include "local_queue.h"
#include "machine/clock.h"
#include "mail/mailbox.h"
#include "park/crowding.h"
#include "park/wakefulness.h"
#include "queue/isolated_queue.h"
#include "queue/isolation_tags.h"
#include "share/hand_off_cell.h"
#include "share/loop_part.h"
#include "share/tree_memory.h"
#include "share/way_turns.h"
#include "stats/counters.h"
#include "steal/sighting.h"
#include "steal/victims.h"

namespace bough {

namespace detail {
class arena;
}
using detail::arena;

// A bit of slot::nesting. It is set in a child process if the thread was inside something at the process fork.
inline constexpr std::uint32_t inside_at_process_fork = std::uint32_t{1} << 31;

struct slot : detail::slot_view {
    slot(arena& a, std::uint16_t i);

    // How many calls its thread is inside of, whether they began in this process or in its parent.
    std::uint32_t levels_inside() const { return nesting & ~inside_at_process_fork; }

    // ---- inbox: written by others ----
    hand_off_cell cell;
    mailbox mail;

    // ---- owner ----
    alignas(cache_line) arena& home;

    bool is_worker = false;
    bool is_lent = false;         // to a worker that has come for enqueued tasks only
    bool is_inside = false;       // a worker that the arena's watch counts
    bool spins = false;           // a worker that may spin: its cell is used
    bool is_watching = false;     // holds the arena's watcher role
    bool sees_work = false;       // saw work that may be taken after a gate, or that another thief took first
    bool leaves_units = false;    // left units of other slots to these slots, at this look
    std::uint8_t sent_tasks = 0;  // got by letter or hand-off since it last looked for other work
    std::uint8_t left_units = 0;  // at how many looks in a row it has done so
    bool sat_down_blindly = false;  // did not know which slot stands for its CPU (arena/seating.h)
    bool came_on_call = false;      // has just entered, because something was published
    bool inherits_tasks = false;    // came to a slot in which another thread had left tasks
    bool is_turn_over = false;      // this worker goes to an arena that has waited for long
    bool last_was_task = false;     // what it last took from others was a task: most likely there are more
    bool is_marked_idle = false;    // its bit in the idle set is set
    bool team_is_hot = false;       // the team of the last loop has reported and nothing was handed off since
    std::uint32_t left_there = 0;   // how many workers it calls, after it has stolen, for what it left there
    tree_here tree;
    tree_trial trial;                // of its outermost tree, while it is inside nothing else
    std::uint32_t letters_sent = 0;  // in its present round
    mail_round received_round;       // that came with the letter which it opened last
    std::uint32_t loops = 0;         // counts loops and trees of tasks, for sampling
    way_turns turns;
    machine::ticks arrived = 0;  // when this worker came
    crowding crowd;
    wakefulness wakeful;

    // Not null: the thread waits for this node, and may run only what descends from it.
    const detail::cancel_node* only_below = nullptr;
    bool in_critical = false;      // inside a critical task
    slot* visited_from = nullptr;  // where the thread that sits here as a visitor sat before
    // Its nesting when the process was forked, with inside_at_process_fork.
    std::uint32_t nesting_at_process_fork = 0;
    // Its nesting in the innermost functor of task_arena::execute; see may_take_enqueued().
    std::uint32_t executing_at = 0;

    detail::told_observers told;

    victim_order victims;
    std::vector<sighting> sightings;  // what this slot saw while idle, and since when; steal/sighting.h

    slot_fibers fibers;

    // The last tasks that the owner handed off. It may have to take them back.
    struct handed_task {
        std::uint16_t slot;
        std::uint64_t ticket;  // 0: none
    };
    std::array<handed_task, 8> handed{};
    std::uint32_t handed_count = 0;

    local_queue queue;
    isolated_queue isolated;
    isolation_tag_source isolation_tags;
    [[no_unique_address]] balancing::seat balance;

    slot_counters counted;  // null: nothing is counted

    const way_back* came_back = nullptr;  // the innermost call on the running stack that came back here

    // The parts are used as a stack. They are made eight at a time and never moved. No part from `depth` on is in use;
    // thieves read `depth` as a hint.
    static constexpr std::uint16_t parts_per_chunk = 8;
    static constexpr std::uint16_t max_chunks = 512;
    struct chunk {
        std::array<loop_part, parts_per_chunk> parts;

        void number(std::uint16_t first) {
            for (loop_part& p : parts)
                p.place = first++;
        }
    };
    alignas(cache_line) std::atomic<std::uint16_t> depth{0};
    // Before this moment thieves leave the queue alone: its tasks are under way by mail. 0: no gate.
    std::atomic<machine::ticks> tasks_closed_until{0};
    std::atomic<std::uint32_t> mails{0};  // intervals handed off; counted only if they open a gate
    std::atomic<std::uint16_t> chunk_count{1};
    chunk first_chunk;
    std::array<std::atomic<chunk*>, max_chunks> more_chunks{};

    ~slot() {
        while (task_proxy* spent = mail.receive())
            task_proxy::take(*spent, task_proxy::mailbox);
        for (auto& c : more_chunks)
            delete c.load(std::memory_order_relaxed);
    }

    // Any thread; i below parts_made().
    loop_part& part(std::uint16_t i) {
        if (i < parts_per_chunk)
            return first_chunk.parts[i];
        // acquire: pairs with add_chunk().
        chunk* c = more_chunks[i / parts_per_chunk].load(std::memory_order_acquire);
        return c->parts[i % parts_per_chunk];
    }
    // Owner: is p one of the parts in use?
    bool owns(const loop_part& p) {
        for (std::uint16_t i = 0; i < used_parts(); ++i)
            if (&part(i) == &p)
                return !p.is_gap;
        return false;
    }
    // Owner: how many pieces others can take from the outermost parts, so many of them.
    std::size_t pieces_in_outermost(unsigned parts) {
        std::size_t n = 0;
        for (unsigned i = 0; i < parts; ++i)
            n += part(static_cast<std::uint16_t>(i)).remaining();
        return n;
    }
    std::uint16_t used_parts() const { return depth.load(std::memory_order_relaxed); }
    // Owner, after a pop: what is pushed where the popped task lay is no older than the parts in use.
    void forget_older_tasks() {
        for (unsigned i = used_parts(); i-- > 0;) {
            loop_part& p = part(static_cast<std::uint16_t>(i));
            if (p.is_gap)
                continue;
            if (p.older_tasks_end.load(std::memory_order_relaxed) <= queue.next_place())
                return;
            p.older_tasks_end.store(queue.next_place(), std::memory_order_relaxed);
        }
    }
    std::uint16_t parts_made() const {
        // seq_cst: a parking watcher's last look must not miss a part that was made before something was published in
        // it.
        return static_cast<std::uint16_t>(chunk_count.load(std::memory_order_seq_cst) * parts_per_chunk);
    }

    // Owner: opens the next part that no late helper still uses. Null if nesting is deeper than any stack allows, or if
    // there is no memory; then the loop runs without a part.
    loop_part* open_part() {
        const std::uint16_t top = used_parts();
        if (top >= parts_per_chunk || first_chunk.parts[top].is_busy()) [[unlikely]]
            return open_part_beyond();
        return open_part_at(top);
    }
    // In a child process: no thread shall work off what is published here, and what was begun will never be joined.
    void end_parts();

    // p is mostly the part that was opened last. It may be another one where several stacks share the slot.
    void close_part(loop_part& p) {
        const unsigned below = used_parts() - 1u;
        if (p.place != below) [[unlikely]] {
            p.is_gap = true;
            return;
        }
        set_used_parts(below);
        if (below != 0 && part(static_cast<std::uint16_t>(below - 1)).is_gap) [[unlikely]]
            close_gaps();
    }

private:
    // relaxed: a hint; a parking watcher looks at every part that was made.
    void set_used_parts(unsigned n) { depth.store(static_cast<std::uint16_t>(n), std::memory_order_relaxed); }
    loop_part* open_part_at(std::uint16_t place) {
        set_used_parts(place + 1u);
        loop_part& p = part(place);
        p.older_tasks_end.store(queue.next_place(), std::memory_order_relaxed);
        p.older_isolated_end.store(isolated.next_place_here(), std::memory_order_relaxed);
        return &p;
    }
    loop_part* open_part_beyond();
    void close_gaps();
    bool add_chunk() noexcept;
};

}  // namespace bough
