#pragma once
// Eigen's non-blocking pool of P - 1 threads; the caller runs a block too. A loop is cut into one block for each
// thread. A thread of the pool that waits does not help, so nested loops are serial.

#include <algorithm>
#include <cstddef>

#define EIGEN_USE_THREADS
#include <unsupported/Eigen/CXX11/Tensor>

#include "machine.h"

namespace runtime {

class eigen_way {
public:
    static constexpr bool has_scan = false;
    const char* name = "eigen";

    template <class Body>
    void for_each(std::size_t n, const Body& body) {
        const auto block =
            static_cast<Eigen::Index>(std::max<std::size_t>(1, (n + threads() - 1) / threads()));
        const Eigen::TensorOpCost dear(0, 0, 1e9);
        device_.parallelFor(
            static_cast<Eigen::Index>(n), dear,
            [block](Eigen::Index asked) { return std::max(asked, block); },
            [&](Eigen::Index begin, Eigen::Index end) {
                for (Eigen::Index unit = begin; unit != end; ++unit)
                    body(static_cast<std::size_t>(unit));
            });
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for (std::size_t unit = 0; unit != n; ++unit)
            body(unit);
    }
    void scan(const double*, double*, std::size_t) {}

private:
    Eigen::ThreadPool pool_{static_cast<int>(std::max(2u, threads()) - 1)};
    Eigen::ThreadPoolDevice device_{&pool_, static_cast<int>(threads())};
};

template <class Use>
void use_ways(const Use& use) {
    use([] { return eigen_way{}; }, "eigen");
}

}  // namespace runtime
