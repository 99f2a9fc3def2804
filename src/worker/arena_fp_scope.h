#pragma once
// The floating-point settings of an application thread inside loops and waits.

#include <cstdint>
#include <utility>

#include "arena/arena.h"
#include "arena/slot.h"
#include "bough/exports/fp_settings.h"
#include "machine/fp_settings.h"

namespace bough {

// An application thread computes with what it likes; inside loops and waits for tasks, as the arena does: its pieces of
// a loop come out as those of its helpers. Once a call, outermost.
class arena_fp_scope {
public:
    explicit arena_fp_scope(const slot& s) : own_(s.nesting != 0 || s.is_worker ? 0 : enter(s)) {}
    ~arena_fp_scope() {
        if (own_ != 0) [[unlikely]]
            detail::set_fp_settings(own_);
    }
    arena_fp_scope(const arena_fp_scope&) = delete;
    arena_fp_scope& operator=(const arena_fp_scope&) = delete;

    // For those whose scope has another shape: what the thread computed with, to be set again; 0 where that was the
    // same.
    static std::uint64_t enter(const slot& s) noexcept {
        const std::uint64_t own = machine::fp_settings();
        const std::uint64_t arenas = s.home.fp_settings.load(std::memory_order_relaxed);
        if (own == arenas) [[likely]]
            return 0;
        detail::set_fp_settings(arenas);
        return own;
    }

private:
    std::uint64_t own_;
};

// While it lives the thread, whatever it runs or computes with, computes as its arena does: for functions that are
// executed in the arena. What the function itself changes stays, unless the thread had to change its settings here.
class as_arena_computes {
public:
    explicit as_arena_computes(slot& s)
        : slot_(s), settings_(std::exchange(s.fp_settings, 0)), own_(arena_fp_scope::enter(s)) {}
    ~as_arena_computes() {
        if (settings_ != 0)
            [[unlikely]]  // so it is inside something; else the slot may be somebody else's by now
            slot_.fp_settings = settings_;
        if (own_ != 0) [[unlikely]]
            detail::set_fp_settings(own_);
    }
    as_arena_computes(const as_arena_computes&) = delete;
    as_arena_computes& operator=(const as_arena_computes&) = delete;

private:
    slot& slot_;
    const std::uint64_t settings_;
    const std::uint64_t own_;
};

}  // namespace bough
