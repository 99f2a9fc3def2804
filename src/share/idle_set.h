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

    // release: pairs with the load in each_word(); the slot is there.
    void mark(unsigned slot) { at(slot).fetch_or(bit(slot), std::memory_order_release); }
    void clear(unsigned slot) { at(slot).fetch_and(~bit(slot), std::memory_order_relaxed); }

    // Before an each() that will see most of the slots: so the lines travel together.
    void prefetch() const {
        for (unsigned w = 0; w < words_ && w < fetched_ahead; ++w)
            __builtin_prefetch(&bits_[w]);
    }

    // Calls see(slot) for each set bit, upwards from `from` and round, until see returns false.
    template <class See>
    void each(unsigned from, See&& see) const {
        each_word(from, [&see](unsigned first, std::uint64_t set) {
            for (; set; set &= set - 1)
                if (!see(first + static_cast<unsigned>(__builtin_ctzll(set))))
                    return false;
            return true;
        });
    }

    // Writes the numbers that each() shows there, but not `own`, at most `most`. Returns how many.
    std::uint32_t numbers(unsigned from, unsigned own, std::uint16_t* there, std::uint32_t most) const {
        std::uint32_t n = 0;
        each_word(from, [=, &n](unsigned first, std::uint64_t set) {
            if (own - first < per_word)
                set &= ~bit(own);
            if (set == all && most - n >= per_word) {  // usual in a large team: two instructions, not fifty
                for (unsigned i = 0; i < per_word; ++i)
                    there[n + i] = static_cast<std::uint16_t>(first + i);
                n += per_word;
                return n < most;
            }
            for (; set && n < most; set &= set - 1)
                there[n++] = static_cast<std::uint16_t>(first + static_cast<unsigned>(__builtin_ctzll(set)));
            return n < most;
        });
        return n;
    }

private:
    // Members of a team write their bits at the same moment, one after the other on a line: with 64 bits on each of two
    // lines that was most of a loop of 10 us on 128 virtual cores (decisions.md).
    static constexpr unsigned per_word = 8;
    static constexpr std::uint64_t all = (std::uint64_t{1} << per_word) - 1;
    static constexpr unsigned fetched_ahead = 16;  // lines; more do not travel at one time
    struct alignas(cache_line) word {
        std::atomic<std::uint64_t> value{0};
    };
    static std::uint64_t bit(unsigned slot) { return std::uint64_t{1} << (slot % per_word); }
    std::atomic<std::uint64_t>& at(unsigned slot) { return bits_[slot / per_word].value; }

    // Calls see(first slot, set bits) for each word, in that order, until see returns false.
    template <class See>
    void each_word(unsigned from, See&& see) const {
        const unsigned home = from / per_word;
        const std::uint64_t below = bit(from) - 1;
        const auto shows = [&](unsigned w, std::uint64_t of) {
            // acquire: pairs with mark(), of which other slots' changes of the word continue the release sequence.
            return see(w * per_word, bits_[w].value.load(std::memory_order_acquire) & of);
        };
        if (!shows(home, ~below))
            return;
        for (unsigned w = home + 1; w < words_; ++w) {
            if (w + fetched_ahead < words_)
                __builtin_prefetch(&bits_[w + fetched_ahead]);
            if (!shows(w, ~std::uint64_t{0}))
                return;
        }
        for (unsigned w = 0; w < home; ++w)
            if (!shows(w, ~std::uint64_t{0}))
                return;
        shows(home, below);
    }

    unsigned words_;
    std::unique_ptr<word[]> bits_;
};

}  // namespace bough
