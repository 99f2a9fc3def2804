#include "worker/replay.h"

#include <algorithm>
#include <utility>

#include "arena/arena.h"
#include "worker/this_thread.h"

namespace bough {

replay::replay(slot& s, loop_job& job, const std::uint16_t* members, std::uint32_t count)
    : job_(job), units_(job.units), run_(job.run), fork_(job.fork) {
    const unit most = unit{chunks_per_thread} * s.home.concurrency();
    const auto chunks = static_cast<std::uint32_t>(std::min(units_, most));
    each_ = units_ / chunks;
    longer_ = static_cast<std::uint32_t>(units_ % chunks);

    detail::chunk_map& map = *job.map;
    const bool is_known = map.count == chunks;
    if (is_known || map.resize(map, chunks))
        slots_ = map.slots;
    if (is_known && count != 0)
        order_.make(slots_, chunks, s.index, members, count);
    else if (slots_ && !is_known)
        std::fill_n(slots_, chunks, s.index);

    job.run = run_chunks;
    job.fork = fork_ ? fork_chunks : nullptr;
    job.units = chunks;
    job.again = this;
}

replay::~replay() {
    job_.run = run_;
    job_.fork = fork_;
    job_.units = units_;
    job_.again = nullptr;
    // relaxed: after the join.
    for (accumulators* a = others_.load(std::memory_order_relaxed); a;)
        delete std::exchange(a, a->before);
}

void replay::run_chunks(loop_job& job, void* accumulator, unit first, unit last) {
    replay& its = *job.again;
    const std::uint16_t here = this_slot().index;
    auto place = static_cast<std::uint32_t>(first);
    const auto end = static_cast<std::uint32_t>(last);
    while (place < end) {
        const std::uint32_t begin = its.order_.at(place);
        std::uint32_t stop = begin + 1;
        for (++place; place < end && its.order_.at(place) == stop; ++place)
            ++stop;
        const unit from = its.begin_of(begin), to = its.begin_of(stop);
        its.run_(job, its.accumulator_for(accumulator, from, to), from, to);
        its.note(begin, stop, here);
    }
}

// Notes that this slot ran the chunks. Mostly its number is there already; without a store all threads keep the line.
void replay::note(std::uint32_t first, std::uint32_t last, std::uint16_t here) const {
    if (!slots_)
        return;
    for (std::uint32_t chunk = first; chunk < last; ++chunk) {
        if (slots_[chunk] != here)
            slots_[chunk] = here;
    }
}

// A participant keeps its accumulator while its units follow each other: an accumulator has no gaps.
void* replay::accumulator_for(void* participant, unit first, unit last) {
    if (!fork_)
        return nullptr;
    accumulators& mine = participant ? *static_cast<accumulators*>(participant) : own_;
    // The participant that runs the first unit uses the caller's own accumulator: null.
    if (mine.end != first)
        mine.newest = first == 0 ? nullptr : fork_(job_, first);
    mine.end = last;
    return mine.newest;
}

void* replay::fork_chunks(loop_job& job, unit) {
    auto* const fresh = new accumulators;
    std::atomic<accumulators*>& others = job.again->others_;
    // relaxed: the list is read after the join only.
    fresh->before = others.load(std::memory_order_relaxed);
    while (!others.compare_exchange_weak(fresh->before, fresh, std::memory_order_relaxed)) {
    }
    return fresh;
}

}  // namespace bough
