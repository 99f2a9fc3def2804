#pragma once
// What the scheduler has done so far. Each slot counts if the process runs with BOUGH_STATS=1 in its environment; else
// nothing is counted, and every count reads as zero. With BOUGH_STATS=1 bough also prints the sums on stderr when the
// process exits.
// Thread-safe; one pass over all slots, some microseconds. Counts of threads that are at work meanwhile may lag behind
// each other.
//     const auto before = bough::statistics_now();
//     work();
//     std::cout << (bough::statistics_now().total - before.total)[bough::event::steal_won];
// When all work is done, `executed` is `spawned` and the tasks that lay in no local queue. These are the first task
// of a pipeline or of a tree of oneTBB's tasks, which its caller runs at once; tasks handed off to an idle worker;
// enqueued and critical tasks; tasks of isolated regions. Neither counts pieces of loops, which are not tasks.
// Only the library's variants "...-counted" count events inside a local queue, those from `exposed` to `cas_failed`:
// `bough-run --variant chase-lev-counted PROGRAM`. Only the variant "channels" counts those from `passed_on` on.
// name_of(), is_counted(), counts_events() and statistics_now() are declared in exports/counters.h.
// Source: the counters of the LCWS study (Custódio, Paulino and Rito, SPAA 2023), and those of mailboxes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exports/counters.h"

namespace bough {

enum class event : unsigned {
    spawned,   // tasks put into a local queue
    executed,  // tasks run, or taken and skipped as their group was cancelled, spawned or not (see below)
    mailed,    // tasks sent to a mailbox, as an affinity_partitioner does
    taken_from_mailbox,  // of these, run by the slot that they were sent to
    proxy_found_spent,   // proxies found in a queue or a mailbox after another thread took the task
    handed_off,          // tasks, and intervals of loops, handed off to an idle worker
    steal_tried,         // attempts to steal from queues and parts of loops that showed work
    steal_won,           // of these, with success
    exposed,             // tasks that an owner of a split queue, or a thread on channels, made public
    exposed_unstolen,    // of these, taken back by their owner
    signal_sent,         // signals to an owner, to make it expose
    fence,               // full fences in local queues, sequentially consistent stores among them
    cas_tried,           // compare-and-swap and exchange in local queues; a mutex counts as one
    cas_failed,          // of these, failed because of another thread
    parked,              // times a thread has gone to sleep
    woken,               // times a thread has woken another one
    passed_on,           // requests for work that a slot without work sent on to another one
    given_back,          // requests that nobody could answer, or whose thief had gone
    tasks_sent           // tasks in answers to requests; an answer is a steal_won, a request a steal_tried
};
inline constexpr std::size_t event_count = 19;

struct counts {
    std::array<std::uint64_t, event_count> of{};
    // Times of the threads that sat in the slot, in ns. An application thread works whenever it neither searches nor
    // sleeps.
    double working_ns = 0;
    double searching_ns = 0;  // looking for work, or waiting for a hand-off
    double sleeping_ns = 0;

    std::uint64_t operator[](event e) const { return of[static_cast<std::size_t>(e)]; }

    counts& operator+=(const counts& other) {
        for (std::size_t i = 0; i < of.size(); ++i)
            of[i] += other.of[i];
        working_ns += other.working_ns;
        searching_ns += other.searching_ns;
        sleeping_ns += other.sleeping_ns;
        return *this;
    }
    friend counts operator-(counts later, const counts& earlier) {
        for (std::size_t i = 0; i < later.of.size(); ++i)
            later.of[i] -= earlier.of[i];
        later.working_ns -= earlier.working_ns;
        later.searching_ns -= earlier.searching_ns;
        later.sleeping_ns -= earlier.sleeping_ns;
        return later;
    }
};

struct slot_counts {
    unsigned arena;  // in the order in which arenas were made
    unsigned slot;
    counts counted;
};

struct statistics {
    counts total;                    // also of arenas that are gone, and of threads outside of all arenas
    std::vector<slot_counts> slots;  // of arenas that exist
};

}  // namespace bough
