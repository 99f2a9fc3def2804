#pragma once
// Which cores hold a cache line, and what an access to it costs. Memory of any size: pages of lines come at their first
// use. One host thread.

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "description.h"
#include "noise.h"

namespace simulate {

class lines {
public:
    lines(const description& machine, noise& n);

    // Whether the access costs nothing, and no other core learns of it: a read by a core that has the line, a write by
    // the only one.
    // `plain`: not atomic; what the core stored itself it sees before the line has come.
    bool is_hit(unsigned core, std::uintptr_t address, bool write, bool plain, picoseconds time) {
        const line l = find(address);
        if (l.state->moves != 0) [[unlikely]] {
            settle(l, address, time);
            if (plain && is_coming(core, address, true))
                return true;
        }
        return l.state->owner == core || (!write && (l.sharers[core / 64] >> (core % 64) & 1) != 0);
    }
    // Whether the core has asked for the line before, to write it or to read it, and waits for it.
    bool is_coming(unsigned core, std::uintptr_t address, bool write) const;
    // When an access that begins at `time` is over. A core that has the line goes on using it until the request has got
    // there. The access must not cross a line.
    picoseconds bring(unsigned core, std::uintptr_t address, bool write, picoseconds time);

private:
    static constexpr unsigned no_core = ~0u;
    struct state {
        unsigned owner = no_core;    // it may write without asking
        unsigned moves = 0;          // of this line that are under way
        picoseconds busy_until = 0;  // the next request gets to the line's holder then
    };
    struct move {
        unsigned core;
        bool write;
        picoseconds leaves, comes;
    };
    struct line {
        state* state;
        std::uint64_t* sharers;  // one bit for each core
    };
    struct page {
        std::unique_ptr<state[]> states;
        std::unique_ptr<std::uint64_t[]> sharers;
    };
    static constexpr unsigned line_bits = 6, page_bits = 12, lines_in_page = 1u << (page_bits - line_bits);

    line find(std::uintptr_t address) {
        const std::uintptr_t number = address >> page_bits;
        recent& r = recent_[number % recents];
        if (r.number != number) [[unlikely]]
            r = {number, &load(number)};
        const unsigned index = address >> line_bits & (lines_in_page - 1);
        return {&r.found->states[index], &r.found->sharers[std::size_t{index} * words_]};
    }
    page& load(std::uintptr_t number);
    void settle(const line& l, std::uintptr_t address, picoseconds time);
    distance farthest(unsigned core, const line& l) const;
    distance nearest(unsigned core, const line& l) const;
    bool is_next_of_stream(unsigned core, std::uintptr_t number);

    const description& machine_;
    noise& noise_;
    unsigned words_;
    static constexpr std::size_t recents = 1024;
    struct recent {
        std::uintptr_t number = 0;
        page* found = nullptr;
    };
    std::vector<recent> recent_;
    std::unordered_map<std::uintptr_t, page> pages_;
    std::unordered_map<std::uintptr_t, std::deque<move>> moves_;  // by line, the first to happen first
    // The last lines that each core missed, as a prefetcher remembers them.
    static constexpr unsigned streams = 16;
    struct prefetcher {
        std::uintptr_t last[streams] = {};
        unsigned next = 0;
    };
    std::vector<prefetcher> prefetchers_;
};

}  // namespace simulate
