#pragma once
// An application thread, or a worker, in a slot of an arena that is not its own, for a time.

#include <optional>
#include <utility>

#include "arena/arena.h"
#include "bough/config.h"
#include "worker/arena_fp_scope.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {

// A visit may end in another thread than it began in, if a task was suspended in between (return_visit). So the
// destructors of both classes are not inlined. Inlined, they could use the address of current_slot from the beginning,
// which is that of the first thread: aarch64's compilers keep such addresses.

// While this lives the calling thread sits in a slot of another arena. It computes with the floating-point settings
// that the arena captured when it was made, as workers do. What the thread was inside of before neither cancels nor
// isolates what it does there.
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

// While this lives the calling thread sits again in a slot of its own, further up its stack, from which it went to
// other arenas. It owns the queues that it owned in that slot, and no other: what it does here may be suspended, and
// another thread may go on with it.
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

// The slot that the calling thread has in the arena, at any place further up its stack; null if it has none.
slot* own_slot_in(const arena& a);

}  // namespace bough
