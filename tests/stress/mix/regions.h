#pragma once
// Whether a thread that waits inside an isolated region runs only what was spawned there.

#include <bough/resumable.h>

#include "stress/mix/scope.h"

namespace mix {

struct region {
    const region* outer;  // that it descends from
};

// What a thread knows of itself. Of the stack that it runs then: on another one it is not in the region, and comes back
// to it.
struct whereabouts {
    bough::suspend_point stack = nullptr;
    const region* inside = nullptr;
};

// While the calling stack is in the region; or, with null, in another arena, where anything may be run.
class staying_in {
public:
    explicit staying_in(const region* r);
    ~staying_in();
    staying_in(const staying_in&) = delete;
    staying_in& operator=(const staying_in&) = delete;

private:
    const whereabouts before_;
};

// An application thread between two operations is in none. (It may have left a stack to a worker that was.)
void leave_regions();

// Fails if this thread may not run what has the scope now.
void check_region(const scope& s);

}  // namespace mix
