#pragma once
// Numbers for isolated regions, never used twice in a process; bough/detail/dispatch.h says what they look like. Each
// slot counts within a block of its own, so that regions which begin at the same time share no cache line. Only the
// slot's owner calls next().

#include <atomic>
#include <cstdint>

namespace bough {

class isolation_tag_source {
public:
    std::uintptr_t next() {
        if (next_ == end_) [[unlikely]]
            take_block();
        const std::uintptr_t tag = next_;
        next_ += step;
        return tag;
    }

private:
    static constexpr std::uintptr_t step = 2, first = std::uintptr_t{1} << 63 | 1;
    static constexpr std::uintptr_t block = step << 16;  // a region each nanosecond uses them up in 146 years

    void take_block() {
        // relaxed: a number, nothing is published with it.
        next_ = unused_.fetch_add(block, std::memory_order_relaxed);
        end_ = next_ + block;
    }

    static constinit inline std::atomic<std::uintptr_t> unused_{first};
    std::uintptr_t next_ = 0, end_ = 0;
};

}  // namespace bough
