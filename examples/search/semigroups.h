#pragma once
// Numerical semigroups by genus. A semigroup's children leave out one of its generators, at or above the conductor: so
// the tree has each semigroup once, at the depth that is its genus. A node knows in how many ways each number is a sum
// of two members, as in J. Fromentin, F. Hivert, "Exploring the tree of numerical semigroups" (Math. Comp. 85, 2016).

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include <bough/search.h>

namespace searches {

struct semigroups {
    static constexpr unsigned most_genus = 60;  // generators stay below 64 bits' places, sums below 256
    static constexpr std::uint32_t block = 16;  // bytes that are worked on at a time

    struct node {
        std::uint32_t conductor;     // all numbers from it on are members
        std::uint32_t multiplicity;  // the smallest positive member
        // Of x: the pairs a <= b of members with a + b == x. 0: x is no member. 1: 0 + x alone, so x is a generator.
        std::uint8_t sums[3 * most_genus + 2 * block - 4];
    };

    class children {
    public:
        children(const semigroups& of, const node& n)
            : parent_(n), last_(of.last), generators_(generators_of(n)) {}
        std::size_t num_children() const { return static_cast<std::size_t>(__builtin_popcountll(number_)); }
        node next() {
            const auto i = static_cast<std::uint32_t>(__builtin_ctzll(generators_));
            generators_ &= generators_ - 1;
            return without(parent_, parent_.conductor + i, last_);
        }

    private:
        const node& parent_;
        const std::uint32_t last_;
        std::uint64_t generators_;
        const std::uint64_t number_ = generators_;
    };

    // Throws std::invalid_argument if the genus is larger than most_genus.
    explicit semigroups(unsigned genus) : last(3 * genus + 1) {
        if (genus > most_genus)
            throw std::invalid_argument("semigroups: a genus over 60");
    }

    // All natural numbers: genus 0.
    static node root() {
        node n;
        n.conductor = n.multiplicity = 1;
        for (std::size_t x = 0; x < sizeof n.sums; ++x)
            n.sums[x] = static_cast<std::uint8_t>(x / 2 + 1);
        return n;
    }

    // Bit i: conductor + i is a generator. No generator from there on is as far away as the multiplicity.
    static std::uint64_t generators_of(const node& n) {
        constexpr std::uint64_t ones = 0x0101010101010101, low = 0x7f7f7f7f7f7f7f7f,
                                gather = 0x0102040810204080;
        std::uint64_t found = 0;
        for (std::uint32_t i = 0; i < n.multiplicity; i += 8) {
            std::uint64_t eight;
            std::memcpy(&eight, n.sums + n.conductor + i, sizeof eight);
            eight ^= ones;
            const std::uint64_t is_one =
                ~(((eight & low) + low) | eight | low);  // the high bit of each byte that was 1
            found |= (((is_one >> 7) * gather) >> 56) << i;
        }
        return found & (~std::uint64_t{0} >> (64 - n.multiplicity));
    }

    // n without its generator x. Sums up to `last` and those of numbers below x are right.
    static node without(const node& n, std::uint32_t x, std::uint32_t last) {
        node child = n;
        child.conductor = x + 1;
        child.multiplicity += x == n.multiplicity;
        for (std::uint32_t from = 0; x + from <= last; from += block)
            for (std::uint32_t i = from; i < from + block; ++i)
                child.sums[x + i] = static_cast<std::uint8_t>(n.sums[x + i] - (n.sums[i] != 0));
        return child;
    }

    const std::uint32_t last;  // no larger number is a generator of what is looked at
};

// Number of semigroups of each genus: A007323 in the OEIS.
inline constexpr std::uint64_t known_semigroups[] = {
    1,         1,          2,          4,          7,          12,         23,         39,
    67,        118,        204,        343,        592,        1001,       1693,       2857,
    4806,      8045,       13467,      22464,      37396,      62194,      103246,     170963,
    282828,    467224,     770832,     1270267,    2091030,    3437839,    5646773,    9266788,
    15195070,  24896206,   40761087,   66687201,   109032500,  178158289,  290939807,  474851445,
    774614284, 1262992840, 2058356522, 3353191846, 5460401576, 8888486816, 14463633648};

// How many semigroups there are of each genus.
struct per_genus {
    std::uint64_t number[semigroups::most_genus + 1] = {};
    void visit(const semigroups&, const semigroups::node&, unsigned genus) { ++number[genus]; }
    void join(const per_genus& other) {
        for (unsigned g = 0; g <= semigroups::most_genus; ++g)
            number[g] += other.number[g];
    }
};

}  // namespace searches
