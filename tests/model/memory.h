#pragma once
// What threads may read: the modification orders of all locations, and what each thread has seen of them. README.md,
// "What is modelled".

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/explorer.h"

namespace bough::model {

constexpr std::size_t most_locations = 64;
constexpr std::size_t most_threads = 4;
constexpr std::size_t most_actors = most_threads + 2;  // and who comes last, and what is outside of all

// Of each location the first entry of its modification order that may still be read; and how many plain reads of each
// actor come before.
struct view {
    std::array<std::uint16_t, most_locations> seen{};
    std::array<std::uint16_t, most_actors> reads{};

    void join(const view& other) {
        for (std::size_t i = 0; i < most_locations; ++i)
            seen[i] = std::max(seen[i], other.seen[i]);
        for (std::size_t i = 0; i < most_actors; ++i)
            reads[i] = std::max(reads[i], other.reads[i]);
    }
};

struct views {
    view now;
    view acquired;  // by relaxed loads: an acquire fence makes it seen
    view released;  // by the last release fence: relaxed stores carry it
    // Of light fences. A heavy fence elsewhere interrupts the thread somewhere between the instructions that a compiler
    // has made: what the source says since the last light fence may come before or after that point, in any order.
    view settled;      // at the last light fence: what came before an interruption for certain
    view interrupted;  // by heavy fences since then: what comes after the next light fence has seen it
};

class memory {
public:
    void begin() {
        used_ = 0;
        sequential_ = {};
    }
    bool is_full() const { return used_ == most_locations; }
    location add(word value) {
        const auto l = static_cast<location>(used_++);
        modifications_[l].clear();
        modifications_[l].push_back({value, {}});
        last_reads_[l] = {};
        return l;
    }

    std::size_t last(location l) const { return modifications_[l].size() - 1; }
    word value(location l, std::size_t i) const { return modifications_[l][i].value; }
    bool has_seen_all(const views& v, location l) const { return v.now.seen[l] == last(l); }
    // From now on nothing older than what is newest.
    void catch_up(views& v, location l) const { v.now.seen[l] = static_cast<std::uint16_t>(last(l)); }

    // The oldest entry that a load may return.
    std::size_t oldest(const views& v, location l, std::memory_order o) const {
        const std::size_t seen = v.now.seen[l];
        // Not before what is first in the order of all seq_cst operations.
        return o == std::memory_order_seq_cst ? std::max<std::size_t>(seen, sequential_.seen[l]) : seen;
    }

    word read(views& v, location l, std::size_t i, std::memory_order o) {
        const message& m = modifications_[l][i];
        const auto at = static_cast<std::uint16_t>(i);
        v.now.seen[l] = std::max(v.now.seen[l], at);
        (acquires(o) ? v.now : v.acquired).join(m.carried);
        if (o == std::memory_order_seq_cst)
            sequential_.seen[l] = std::max(sequential_.seen[l], at);
        return m.value;
    }

    void write(views& v, location l, word value, std::memory_order o) { append(v, l, {value, {}}, o); }
    // Of an atomic modification, which has read the last entry: it goes on with the release sequence of that.
    void write_over(views& v, location l, word value, std::memory_order o) {
        append(v, l, {value, modifications_[l].back().carried}, o);
    }

    // Of what is not atomic; false: it races.
    bool plain_read(views& v, location l, std::size_t actor) {
        last_reads_[l][actor] = ++v.now.reads[actor];
        return has_seen_all(v, l);
    }
    bool plain_write(views& v, location l) {
        bool is_ordered = has_seen_all(v, l);
        for (std::size_t i = 0; i < most_actors; ++i)
            is_ordered = is_ordered && last_reads_[l][i] <= v.now.reads[i];
        write(v, l, 0, std::memory_order_relaxed);
        return is_ordered;
    }

    void fence(views& v, std::memory_order o) {
        if (acquires(o))
            v.now.join(v.acquired);
        if (o == std::memory_order_seq_cst) {
            v.now.join(sequential_);
            sequential_ = v.now;
        }
        if (releases(o))
            v.released = v.now;
        light_fence(v);
    }

    void light_fence(views& v) const {
        v.now.join(v.interrupted);
        v.released.join(v.interrupted);
        v.interrupted = {};
        settle(v);
    }
    // A thread makes a full fence because another one wants it to.
    void interrupt(views& v) {
        sequential_.join(v.settled);
        v.interrupted.join(sequential_);
    }
    // The compiler moves nothing over this point: a fence, and where a thread begins. Not where it ends: a program's
    // threads stand for threads that go on.
    static void settle(views& v) {
        v.settled = v.now;
        v.settled.join(v.acquired);
    }

private:
    // An entry of a location's modification order. Modifications are ordered as they are executed.
    struct message {
        word value;
        view carried;  // what one who acquires it has seen
    };

    static bool acquires(std::memory_order o) {
        return o != std::memory_order_relaxed && o != std::memory_order_release;
    }
    static bool releases(std::memory_order o) {
        return o == std::memory_order_release || o == std::memory_order_acq_rel ||
               o == std::memory_order_seq_cst;
    }

    void append(views& v, location l, message m, std::memory_order o) {
        const auto at = static_cast<std::uint16_t>(modifications_[l].size());
        v.now.seen[l] = at;
        m.carried.join(releases(o) ? v.now : v.released);
        m.carried.seen[l] = at;
        modifications_[l].push_back(m);
        if (o == std::memory_order_seq_cst)
            sequential_.seen[l] = at;
    }

    std::array<std::vector<message>, most_locations> modifications_;
    std::array<std::array<std::uint16_t, most_actors>, most_locations> last_reads_{};
    std::size_t used_ = 0;
    view sequential_;  // what all seq_cst operations so far have written and read
};

}  // namespace bough::model
