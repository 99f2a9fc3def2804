#pragma once
// Which slots are probably idle: a hint that spares callers a look at every cell. One bit per slot; a word, on a line
// of its own, holds the bits of a few neighbours in topology order. A worker sets its bit when it opens its cell. It
// clears the bit when an interval that it was handed has lasted past the gate, before it runs anything else, and when
// it rests or leaves. orderings.md.

#include <atomic>
#include <cstdint>
#include <memory>

#include "bough/config.h"

namespace bough {

class idle_set {
public:
    explicit idle_set(unsigned slots) : words_((slots + per_word - 1) / per_word), bits_(new word[words_]) {}

    void mark(unsigned slot) { at(slot).fetch_or(bit(slot), std::memory_order_relaxed); }
    void clear(unsigned slot) { at(slot).fetch_and(~bit(slot), std::memory_order_relaxed); }

    // Before an each() that will see most of the slots: so the lines travel together.
    void prefetch() const {
        for (unsigned w = 0; w < words_ && w < fetched_ahead; ++w)
            __builtin_prefetch(&bits_[w]);
    }

    // Calls see(slot) for each set bit, upwards from `from` and round, until see returns false.
    template <class See>
    void each(unsigned from, See&& see) const {
        const unsigned home = from / per_word;
        const std::uint64_t below = (std::uint64_t{1} << (from % per_word)) - 1;
        if (!each_in(home, ~below, see))
            return;
        for (unsigned w = home + 1; w < words_; ++w) {
            if (w + fetched_ahead < words_)
                __builtin_prefetch(&bits_[w + fetched_ahead]);
            if (!each_in(w, ~std::uint64_t{0}, see))
                return;
        }
        for (unsigned w = 0; w < home; ++w)
            if (!each_in(w, ~std::uint64_t{0}, see))
                return;
        each_in(home, below, see);
    }

private:
    // Members of a team write their bits at the same moment, one after the other on a line: with 64 bits on each of two
    // lines that was most of a loop of 10 us on 128 virtual cores (decisions.md).
    static constexpr unsigned per_word = 8;
    static constexpr unsigned fetched_ahead = 16;  // lines; more do not travel at one time
    struct alignas(cache_line) word {
        std::atomic<std::uint64_t> value{0};
    };
    static std::uint64_t bit(unsigned slot) { return std::uint64_t{1} << (slot % per_word); }
    std::atomic<std::uint64_t>& at(unsigned slot) { return bits_[slot / per_word].value; }

    template <class See>
    bool each_in(unsigned w, std::uint64_t of, See& see) const {
        for (std::uint64_t set = bits_[w].value.load(std::memory_order_relaxed) & of; set; set &= set - 1)
            if (!see(w * per_word + static_cast<unsigned>(__builtin_ctzll(set))))
                return false;
        return true;
    }

    unsigned words_;
    std::unique_ptr<word[]> bits_;
};

}  // namespace bough
