#pragma once
// Loops that may go blind without being judged again: what prediction::choose() has said of the next loops of a kind. Each
// slot keeps its own, so that threads in the same loop write no common line. For the owner of the slot; O(1).

#include <algorithm>
#include <array>
#include <cstdint>

namespace bough {

class blind_turns {
public:
    // A size class of a call site, by its number; 0: it has none yet.
    using kind = std::uint32_t;
    // Kinds are numbered as they come: so many in a row keep their turns side by side. Of two beyond that which share a place,
    // and take turns, each is judged each time.
    static constexpr kind places = 64;

    // May a loop of this kind and length go? Uses up one turn.
    bool take(kind k, std::uint64_t units) {
        entry& e = entries_[k % places];
        if (e.of != k || e.left == 0 || units > e.longest)
            return false;
        --e.left;
        return true;
    }

    // The next ones of at most so many units.
    void give(kind k, std::uint64_t longest, std::uint32_t turns) {
        entries_[k % places] = {
            k, static_cast<std::uint32_t>(std::min<std::uint64_t>(longest, ~std::uint32_t{0})), turns};
    }

    void forget(kind k) {
        if (entry& e = entries_[k % places]; e.of == k)
            e.left = 0;
    }

private:
    struct entry {
        kind of = 0;
        std::uint32_t longest = 0;
        std::uint32_t left = 0;
    };
    std::array<entry, places> entries_{};
};

}  // namespace bough
