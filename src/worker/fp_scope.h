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

// An application thread computes with what it likes; inside loops and waits for tasks, as the arena does: its pieces of a
// loop come out as those of its helpers. Once a call, outermost.
class arena_fp_scope {
public:
    explicit arena_fp_scope(const slot& s) {
        if (s.nesting != 0 || s.is_worker)
            return;
        const std::uint64_t own = detail::current_fp_settings();
        const std::uint64_t arenas = s.home.fp_settings.load(std::memory_order_relaxed);
        if (own == arenas) [[likely]]
            return;
        own_ = own;
        detail::set_fp_settings(arenas);
    }
    ~arena_fp_scope() {
        if (own_ != 0) [[unlikely]]
            detail::set_fp_settings(own_);
    }
    arena_fp_scope(const arena_fp_scope&) = delete;
    arena_fp_scope& operator=(const arena_fp_scope&) = delete;

private:
    std::uint64_t own_ = 0;
};

}  // namespace bough
