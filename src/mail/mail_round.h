#pragma once
// The slots to which a thread still has to send work by mail; README.md, "Mail rounds".

#include <cstdint>

namespace bough {

struct mail_round {
    std::uint16_t first = 0;  // the slots' numbers wrap at the arena's concurrency
    std::uint16_t count = 0;
    bool has_begun = false;  // the thread has mailed a task, or has tried to
};

}  // namespace bough
