#pragma once
// The slots to which a thread still has to send work by mail; README.md, "Mail rounds".

#include <cstdint>

namespace bough {

struct mail_round {
    std::uint16_t first = 0;  // the slots' numbers wrap at the arena's concurrency
    std::uint16_t count = 0;
    bool has_begun = false;  // the thread has sent a letter
    bool is_judged = true;   // false: at the first task it is judged whether the tree is worth letters
};

}  // namespace bough
