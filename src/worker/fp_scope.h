#pragma once
// The floating-point settings of what a thread runs for somebody else.

#include "arena/arena.h"
#include "arena/slot.h"
#include "bough/detail/fp_settings.h"

namespace bough {

// While it lives the thread computes with `wanted`; 0: as the workers of its arena do. One compare where it does already.
class fp_scope {
public:
    fp_scope(slot& s, std::uint64_t wanted) : s_(s), outer_(s.fp_settings) {
        if (wanted != outer_) [[unlikely]]
            change(wanted);
    }
    ~fp_scope() {
        if (threads_ == 0) [[likely]]
            return;
        detail::set_fp_settings(threads_);
        s_.fp_settings = outer_;
    }
    fp_scope(const fp_scope&) = delete;
    fp_scope& operator=(const fp_scope&) = delete;

private:
    void change(std::uint64_t wanted) {
        threads_ = detail::current_fp_settings();
        s_.fp_settings = wanted;
        detail::set_fp_settings(wanted ? wanted : s_.home.fp_settings.load(std::memory_order_relaxed));
    }

    slot& s_;
    std::uint64_t outer_;
    std::uint64_t threads_ = 0;
};

}  // namespace bough
