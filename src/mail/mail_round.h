#pragma once
// The slots that a thread has still to provide with work by mail; README.md, "Mail rounds".

#include <cstdint>

namespace bough {

struct mail_round {
    std::uint16_t first = 0;  // round and round
    std::uint16_t count = 0;
    bool has_begun = false;  // a task has been mailed, or could not be
};

}  // namespace bough
