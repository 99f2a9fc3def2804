#pragma once
// Lets one token at a time into a serial stage, and holds the others back. Any thread may bring a token; none waits.
// Invariant: at most one token is inside, tokens enter by ascending turn, and whoever has the word taken owns every other
// field. A token that is held back may be let in, and be gone, at once. README.md has the protocol.

#include <atomic>
#include <cstdint>

#include "pipeline/token.h"

namespace bough {

enum class turns : std::uint8_t {
    by_arrival,
    by_place  // 0, 1, 2 ... each comes once
};

class turnstile {
public:
    explicit turnstile(turns t) : turns_(t) {}
    turnstile(const turnstile&) = delete;
    turnstile& operator=(const turnstile&) = delete;

    // A token wants to enter. Returns who has been let in: this one, another, or null. The caller has that one in hand now.
    token* arrive(token& t) noexcept;

    // ---- by whoever is inside ----

    // Returns who is inside now, as above.
    token* leave() noexcept {
        ++turn_;
        return admit();
    }
    bool has_waiting() const noexcept {
        return !waiting_.is_empty() || word_.load(std::memory_order_relaxed) != taken();
    }

private:
    token* admit() noexcept;
    void take_in(token* newest_first) noexcept;
    void give_turn(token& t) noexcept { t.turn = turns_ == turns::by_place ? t.place : arrivals_++; }

    // Of the word: nobody is inside; somebody is; or the newest of those that have come since.
    static constexpr token* free = nullptr;
    token* taken() const noexcept { return reinterpret_cast<token*>(const_cast<turnstile*>(this)); }

    std::atomic<token*> word_{free};
    waiting_tokens waiting_;
    std::uint64_t turn_ = 0;  // whose turn it is, or who is inside
    std::uint64_t arrivals_ = 0;
    const turns turns_;
};

}  // namespace bough
