#pragma once
// The tags of splitting constructors, with oneTBB's meanings.

#include <cstddef>

#include "config.h"

namespace bough {

// Range(Range& r, split): takes about half of r and leaves the rest in it.
class split {};

// Range(Range& r, proportional_split& p): leaves left() parts in r and takes right() parts.
class proportional_split {
public:
    explicit proportional_split(std::size_t left = 1, std::size_t right = 1) noexcept
        : left_(left), right_(right) {}
    std::size_t left() const noexcept { return left_; }
    std::size_t right() const noexcept { return right_; }
    explicit operator split() const noexcept { return split(); }

private:
    std::size_t left_;
    std::size_t right_;
};

}  // namespace bough
