#include "lines.h"

#include <algorithm>
#include <bit>

namespace simulate {

lines::lines(const description& machine, noise& n)
    : machine_(machine), noise_(n), words_((machine.cores() + 63) / 64), recent_(recents),
      prefetchers_(machine.cores()) {}

lines::page& lines::load(std::uintptr_t number) {
    page& p = pages_[number];
    if (p.states == nullptr) {
        p.states = std::make_unique<state[]>(lines_in_page);
        p.sharers = std::make_unique<std::uint64_t[]>(std::size_t{lines_in_page} * words_);
    }
    return p;
}

template <class Better>
static distance best_of(const description& machine, unsigned core, const std::uint64_t* sharers,
                        unsigned words, distance best, Better&& better) {
    for (unsigned w = 0; w < words; ++w)
        for (std::uint64_t left = sharers[w]; left != 0; left &= left - 1) {
            const unsigned other = w * 64 + static_cast<unsigned>(std::countr_zero(left));
            if (other == core)
                continue;
            const distance d = machine.between(core, other);
            if (better(d, best))
                best = d;
        }
    return best;
}

distance lines::farthest(unsigned core, const line& l) const {
    return best_of(machine_, core, l.sharers, words_, same_core,
                   [](distance a, distance b) { return a > b; });
}
distance lines::nearest(unsigned core, const line& l) const {
    return best_of(machine_, core, l.sharers, words_, distances,
                   [](distance a, distance b) { return a < b; });
}

bool lines::is_next_of_stream(unsigned core, std::uintptr_t number) {
    prefetcher& p = prefetchers_[core];
    for (std::uintptr_t& last : p.last)
        if (number - last == 1 || number - last == 2) {
            last = number;
            return true;
        }
    p.last[p.next++ % streams] = number;
    return false;
}

picoseconds lines::bring(unsigned core, std::uintptr_t address, bool write, picoseconds time) {
    const line l = find(address);
    state& s = *l.state;
    const std::uint64_t bit = std::uint64_t{1} << core % 64;
    const bool has = (l.sharers[core / 64] & bit) != 0;
    if (s.owner == core || (has && !write))
        return time;
    const prices& price = machine_.price;
    const distance from = write ? farthest(core, l) : nearest(core, l);
    const bool unknown = !has && from == (write ? same_core : distances);  // no core has it
    picoseconds cost = 0;
    if (unknown)
        cost = is_next_of_stream(core, address >> line_bits) ? price.stream : noise_.around(price.memory);
    else if (from != same_core && from != distances)
        cost = noise_.around(write ? price.write[from] : price.read[from]);
    const picoseconds begin = std::max(time, s.busy_until), end = begin + cost;
    if (write) {
        std::fill_n(l.sharers, words_, 0);
        s.owner = s.last_writer = core;
        s.busy_until = end;
    } else {
        // A lone reader of memory may write it without asking (the E of MESI).
        s.owner = unknown ? core : nobody;
        s.busy_until = unknown ? end : begin + price.shared_read;
    }
    l.sharers[core / 64] |= bit;
    if (!unknown && cost != 0) {
        traffic& t = moved_[address >> line_bits];
        ++t.moves;
        t.waited += end - time;
    }
    return end;
}

}  // namespace simulate
