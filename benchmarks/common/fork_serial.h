#pragma once
// fork without a runtime, for reference results.

namespace bench {

struct fork_serial {
    template <class F, class G>
    static void fork(const F& f, const G& g) {
        f();
        g();
    }
};

}  // namespace bench
