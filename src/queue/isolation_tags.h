#pragma once
// Numbers for isolated regions, none used twice in a process; bough/detail/dispatch.h describes them. Each slot counts
// in a block of its own, so threads that begin regions at the same time share no cache line. Only the slot's owner
// calls next().

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
    static constexpr std::uintptr_t block =
        step << 16;  // at one region a nanosecond, all are used after 146 years

    void take_block() {
        // relaxed: the number publishes nothing.
        next_ = unused_.fetch_add(block, std::memory_order_relaxed);
        end_ = next_ + block;
    }

    static constinit inline std::atomic<std::uintptr_t> unused_{first};
    std::uintptr_t next_ = 0, end_ = 0;
};

}  // namespace bough
