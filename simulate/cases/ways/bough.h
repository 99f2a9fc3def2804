#pragma once
// bough, by its own interface.

#include <cstddef>
#include <functional>

#include <bough/bough.h>

#include "sums.h"

namespace runtime {

struct bough_way {
    static constexpr bool has_scan = true;
    const char* name = "bough";

    template <class Body>
    void for_each(std::size_t n, const Body& body) {
        bough::parallel_for(std::size_t{0}, n, body);
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for_each(n, body);
    }
    void scan(const double* in, double* out, std::size_t n) {
        bough::parallel_scan(bough::blocked_range<std::size_t>(0, n), 0.0, sums{in, out}, std::plus<>());
    }
    template <class First, class Second>
    void both(const First& f, const Second& g) {
        bough::parallel_invoke(f, g);
    }
    template <class First, class Second>
    void group_of(const First& f, const Second& g) {
        bough::task_group group;
        group.run(f);
        g();
        group.wait();
    }
};

template <class Use>
void use_ways(const Use& use) {
    use([] { return bough_way{}; }, "bough");
}

}  // namespace runtime
