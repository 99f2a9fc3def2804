#pragma once
// What a fork-join workload may ask of a runtime, as static members; only fork must be there:
//   fork(f, g)                  f() and g(), possibly at the same time; returns when both are done
//   fork_each(first, last, f)   f(i) for each index, each a task of its own; without it: by halves
//   fork_root(f)                f(), inside of which the two may be called; without it: anywhere

#include "common/runtime.h"

namespace bench {

template <class Runtime>
concept forks = requires(void (*f)()) { Runtime::fork(f, f); };

template <class Runtime>
concept loops = requires(void (*f)(index)) { Runtime::parallel_for(index{}, index{}, f); };

template <class Runtime, class F>
void fork_root(const F& f) {
    if constexpr (requires { Runtime::fork_root(f); })
        Runtime::fork_root(f);
    else
        f();
}

template <class Runtime, class F>
void fork_each(index first, index last, const F& f) {
    if (last <= first)
        return;
    if (last - first == 1) {
        f(first);
    } else if constexpr (requires { Runtime::fork_each(first, last, f); }) {
        Runtime::fork_each(first, last, f);
    } else {
        const index middle = first + (last - first) / 2;
        Runtime::fork([&] { fork_each<Runtime>(first, middle, f); },
                      [&] { fork_each<Runtime>(middle, last, f); });
    }
}

}  // namespace bench
