#pragma once
// bough, and its loops by morsels.

#include <bough/morsel.h>

#include "runtimes/bough.h"

namespace bench {

struct bough_morsels : bough_default {
    // f(i) for each index, of which each stands for so many bytes, in morsels of that many bytes.
    template <class F>
    static void parallel_for_morsels(index last, index bytes_each, index morsel_bytes, const F& f) {
        bough::parallel_for(
            bough::blocked_range<index>(0, last),
            [&](const bough::blocked_range<index>& r) { each(r.begin(), r.end(), f); },
            bough::morsel_partitioner(bytes_each, morsel_bytes));
    }
};

}  // namespace bench
