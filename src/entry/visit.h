#pragma once
// A thread in an arena that is not its own, for a while.

#include <optional>
#include <utility>

#include "arena/arena.h"
#include "bough/config.h"
#include "worker/arena_fp_scope.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {

// The end of a visit may be in another thread than its beginning, if a task was suspended in between (return_visit). So
// the destructors of both are not inlined: an address of current_slot from before would be that of the thread that
// began. aarch64's compilers keep such addresses.

// The calling thread sits in another arena while it visits, and computes with the settings that the arena captured when
// it was made, as workers do. What it did before neither cancels nor isolates it there.
class visit {
public:
    explicit visit(slot& s);
    BOUGH_NOINLINE ~visit();
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

private:
    slot* outer_;
    slot& slot_;
    std::optional<bound_to> bound_;
    std::optional<as_arena_computes> fp_;
};

// Back in an arena where this thread has a slot already, further up. Meanwhile it owns the queues that it owned there,
// and no other: what it does here may be suspended, and another thread go on with it.
class return_visit {
public:
    explicit return_visit(slot& s);
    BOUGH_NOINLINE ~return_visit();
    return_visit(const return_visit&) = delete;
    return_visit& operator=(const return_visit&) = delete;

private:
    slot* outer_;
    slot& slot_;
    const way_back here_;
    const way_back* const before_;
    std::optional<as_arena_computes> fp_;
};

// A slot of the calling thread in the arena, wherever further up it sat down there; null when it has none.
slot* own_slot_in(const arena& a);

}  // namespace bough
