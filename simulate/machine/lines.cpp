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

void lines::settle(const line& l, std::uintptr_t address, picoseconds time) {
    const auto found = moves_.find(address >> line_bits);
    std::deque<move>& moves = found->second;
    while (!moves.empty() && moves.front().leaves <= time) {
        const move& m = moves.front();
        if (m.write)
            std::fill_n(l.sharers, words_, 0);
        l.state->owner = m.write ? m.core : no_core;
        l.sharers[m.core / 64] |= std::uint64_t{1} << m.core % 64;
        moves.pop_front();
    }
    l.state->moves = static_cast<unsigned>(moves.size());
    if (moves.empty())
        moves_.erase(found);
}

bool lines::is_coming(unsigned core, std::uintptr_t address, bool write) const {
    const auto found = moves_.find(address >> line_bits);
    return found != moves_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const move& m) { return m.core == core && m.write == write; });
}

picoseconds lines::bring(unsigned core, std::uintptr_t address, bool write, picoseconds time) {
    const line l = find(address);
    state& s = *l.state;
    const std::uint64_t bit = std::uint64_t{1} << core % 64;
    const std::uintptr_t number = address >> line_bits;
    distance farthest_coming = same_core, last_coming = distances;
    if (s.moves != 0) {
        settle(l, address, time);
        if (s.moves != 0)
            for (const move& m : moves_[number]) {
                if (m.core == core && (m.write || !write))
                    return m.comes;
                last_coming = machine_.between(core, m.core);
                farthest_coming = std::max(farthest_coming, last_coming);
            }
    }
    const bool has = (l.sharers[core / 64] & bit) != 0;
    if (s.moves == 0 && (s.owner == core || (has && !write)))
        return time;
    const prices& price = machine_.price;
    distance from = write ? std::max(farthest(core, l), farthest_coming) : nearest(core, l);
    if (!write && last_coming != distances)
        from = last_coming;
    const bool unknown = !has && from == (write ? same_core : distances);  // no core has it
    if (unknown) {
        // A lone reader of memory may write it without asking (the E of MESI).
        l.sharers[core / 64] |= bit;
        s.owner = core;
        return s.busy_until = std::max(time, s.busy_until) +
                              (is_next_of_stream(core, number) ? price.stream : noise_.around(price.memory));
    }
    // Three ways of equal length: to the line's home, from there to the core that has it, and from that to the one that
    // asked. The home serves the next request when the line has come.
    const picoseconds cost = from == same_core || from == distances
                                 ? 0
                                 : noise_.around(write ? price.write[from] : price.read[from]);
    const picoseconds way = cost / 3, leaves = std::max(time + 2 * way, s.busy_until), comes = leaves + way;
    s.busy_until = write ? comes + way : leaves + price.shared_read;
    moves_[number].push_back({core, write, leaves, comes});
    ++s.moves;
    return comes;
}

}  // namespace simulate
