#pragma once
// The packed state of a part of a loop; README.md has the tables of fields and transitions. A value type: a transition
// returns a new word, and asserts what must hold before it.

#include <cassert>
#include <cstdint>
#include <ostream>

namespace bough {

class loop_word {
public:
    static constexpr std::uint32_t max_pieces = 4095;
    static constexpr std::uint32_t max_helpers = 63;

    constexpr loop_word() = default;
    constexpr explicit loop_word(std::uint64_t bits) : bits_(bits) {}

    constexpr std::uint64_t bits() const { return bits_; }
    constexpr std::uint32_t generation() const { return static_cast<std::uint32_t>(bits_ >> 32); }
    constexpr bool open() const { return (bits_ & open_bit) != 0; }
    constexpr bool left() const { return (bits_ & left_bit) != 0; }
    constexpr std::uint32_t helpers() const { return static_cast<std::uint32_t>(bits_ >> 24) & max_helpers; }
    constexpr std::uint32_t next() const { return static_cast<std::uint32_t>(bits_ >> 12) & max_pieces; }
    constexpr std::uint32_t end() const { return static_cast<std::uint32_t>(bits_) & max_pieces; }
    constexpr std::uint32_t remaining() const { return end() - next(); }

    // A new use of the part: nothing to steal; `helpers` intervals are on their way to members of the team.
    constexpr loop_word prepared(std::uint32_t helpers) const {
        assert(helpers <= max_helpers);
        return loop_word((static_cast<std::uint64_t>(generation() + 1) << 32) |
                         (std::uint64_t{helpers} << 24));
    }

    // What to add to a prepared word so that pieces [claimed, pieces) appear and `undone` hand-offs are taken back.
    static constexpr std::uint64_t publication(std::uint32_t claimed, std::uint32_t pieces, bool open,
                                               std::uint32_t undone) {
        assert(claimed <= pieces && pieces <= max_pieces);
        return (std::uint64_t{claimed} << 12) + pieces + (open ? open_bit : 0) -
               (std::uint64_t{undone} << 24);
    }

    constexpr loop_word claimed(std::uint32_t count, bool open_now) const {
        assert(count <= remaining());
        return loop_word((bits_ + (std::uint64_t{count} << 12)) | (open_now ? open_bit : 0));
    }

    constexpr loop_word stolen(std::uint32_t count) const {
        assert(count <= remaining() && helpers() < max_helpers);
        return loop_word(bits_ - count + one_helper);
    }

    constexpr loop_word drained() const { return loop_word(bits_ - remaining()); }
    constexpr loop_word with_left() const { return loop_word(bits_ | left_bit); }

    static constexpr std::uint64_t one_helper = std::uint64_t{1} << 24;

    friend constexpr bool operator==(loop_word, loop_word) = default;
    friend std::ostream& operator<<(std::ostream& out, loop_word w) {
        return out << "{generation " << w.generation() << (w.open() ? ", open" : "")
                   << (w.left() ? ", left" : "") << ", helpers " << w.helpers() << ", pieces " << w.next()
                   << ".." << w.end() << '}';
    }

private:
    static constexpr std::uint64_t open_bit = std::uint64_t{1} << 31;
    static constexpr std::uint64_t left_bit = std::uint64_t{1} << 30;

    std::uint64_t bits_ = 0;
};

}  // namespace bough
