#pragma once
// Turns: how many of the next loops of a kind may go a way without being judged again, as prediction::choose() said.
// Each slot keeps its own turns, so that threads in the same loop write no common line. For the owner of the slot;
// O(1).

#include <array>
#include <cstdint>

namespace bough {

class way_turns {
public:
    // A size class of a call site, by its number; 0: it has none yet.
    using kind = std::uint32_t;
    // Kinds are numbered as they come, so 64 kinds in a row have places of their own. If two kinds share a place and
    // their loops alternate, each of these loops is judged.
    static constexpr kind places = 64;

    // May a loop of this kind and length go blind, or be handed off? Uses up one turn.
    bool take_blind(kind k, std::uint64_t units) { return blind_.take(k, units); }
    bool take_team(kind k, std::uint64_t units) { return team_.take(k, ~units); }

    // The next `turns` loops of at most `longest` units go blind.
    void give_blind(kind k, std::uint64_t longest, std::uint32_t turns) { blind_.give(k, longest, turns); }
    void forget_blind(kind k) { blind_.forget(k); }
    // The next `turns` loops of at least `shortest` units are handed off.
    void give_team(kind k, std::uint64_t shortest, std::uint32_t turns) { team_.give(k, ~shortest, turns); }

private:
    class table {
    public:
        bool take(kind k, std::uint64_t value) {
            entry& e = entries_[k % places];
            if (e.of != k || e.left == 0 || value > e.largest)
                return false;
            --e.left;
            return true;
        }
        void give(kind k, std::uint64_t largest, std::uint32_t turns) {
            entries_[k % places] = {k, turns, largest};
        }
        void forget(kind k) {
            if (entry& e = entries_[k % places]; e.of == k)
                e.left = 0;
        }

    private:
        struct entry {
            kind of = 0;
            std::uint32_t left = 0;
            std::uint64_t largest = 0;
        };
        std::array<entry, places> entries_{};
    };

    table blind_;
    table team_;
};

}  // namespace bough
