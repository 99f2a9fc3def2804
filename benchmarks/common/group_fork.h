#pragma once
// fork and fork_each by a task group that has run(f) and run_and_wait(f), as oneTBB's and bough's have.

#include "common/runtime.h"

namespace bench {

template <class Group>
struct group_fork {
    template <class F, class G>
    static void fork(const F& f, const G& g) {
        Group group;
        group.run(f);
        group.run_and_wait(g);
    }

    template <class F>
    static void fork_each(index first, index last, const F& f) {
        Group group;
        for (; first + 1 < last; ++first)
            group.run([first, &f] { f(first); });
        group.run_and_wait([first, &f] { f(first); });
    }
};

}  // namespace bench
