#pragma once
// The floating-point settings of an application thread inside loops and waits.

#include <cstdint>
#include <utility>

#include "arena/arena.h"
#include "arena/slot.h"
#include "bough/exports/fp_settings.h"
#include "machine/fp_settings.h"

namespace bough {

// An application thread may have floating-point settings of its own. Inside loops and waits for tasks it uses the
// arena's, so that its pieces of a loop give the same results as those of its helpers. Set once a call, the outermost.
class arena_fp_scope {
public:
    explicit arena_fp_scope(const slot& s) : own_(s.nesting != 0 || s.is_worker ? 0 : enter(s)) {}
    ~arena_fp_scope() {
        if (own_ != 0) [[unlikely]]
            detail::set_fp_settings(own_);
    }
    arena_fp_scope(const arena_fp_scope&) = delete;
    arena_fp_scope& operator=(const arena_fp_scope&) = delete;

    // For callers whose scope has another shape. Returns the settings that the thread had, for the caller to set again;
    // 0 if they were the arena's.
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

// For functions that are executed in the arena: while this lives the thread computes with the arena's settings,
// whatever it is inside of. Settings that the function itself changes stay, unless the thread had to change its own
// here.
class as_arena_computes {
public:
    explicit as_arena_computes(slot& s)
        : slot_(s), settings_(std::exchange(s.fp_settings, 0)), own_(arena_fp_scope::enter(s)) {}
    ~as_arena_computes() {
        if (settings_ != 0)
            [[unlikely]]  // so the thread is inside something; else the slot may be another thread's by now
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
