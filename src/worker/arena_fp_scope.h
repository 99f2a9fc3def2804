#pragma once
// The floating-point settings of an application thread inside loops and waits.

#include "arena/arena.h"
#include "arena/slot.h"
#include "bough/detail/fp_settings.h"

namespace bough {

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
