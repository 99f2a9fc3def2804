#pragma once
// bough's task_group: one group per fork.

#include <string>

#include "common/group_fork.h"
#include "runtimes/bough.h"

namespace bench {

struct bough_group : group_fork<bough::task_group> {
    static constexpr const char* name = "bough_group";
    static constexpr bool starts_all = false;
    static std::string version() { return bough_default::version(); }

    template <class F>
    static void enter(unsigned threads, const F& f) {
        bough_default::enter(threads, f);
    }
};

}  // namespace bench
