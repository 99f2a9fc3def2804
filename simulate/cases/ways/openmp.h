#pragma once
// LLVM's OpenMP, with each of its schedules. A loop in a loop runs on one thread, which is OpenMP's default.

#include <cstddef>

namespace runtime {

// Outside of the template below: clang 19 does not find the reduction there.
struct openmp_scan {
    static constexpr bool has_scan = true;
    void scan(const double* in, double* out, std::size_t n) {
        double sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
        for (std::size_t i = 0; i < n; ++i) {
            sum += in[i];
#pragma omp scan inclusive(sum)
            out[i] = sum;
        }
    }
};

enum class schedule { in_chunks, dynamic, guided };

// A pragma takes no template argument, so each schedule has its loop.
template <schedule of>
struct openmp_way : openmp_scan {
    const char* name;

    template <class Body>
    void for_each(std::size_t n, const Body& body) {
        if constexpr (of == schedule::dynamic) {
#pragma omp parallel for schedule(dynamic)
            for (std::size_t unit = 0; unit < n; ++unit)
                body(unit);
        } else if constexpr (of == schedule::guided) {
#pragma omp parallel for schedule(guided)
            for (std::size_t unit = 0; unit < n; ++unit)
                body(unit);
        } else {
#pragma omp parallel for schedule(static)
            for (std::size_t unit = 0; unit < n; ++unit)
                body(unit);
        }
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for_each(n, body);
    }
};

template <class Use>
void use_ways(const Use& use) {
    use([] { return openmp_way<schedule::in_chunks>{{}, "openmp-static"}; }, "openmp-static");
    use([] { return openmp_way<schedule::dynamic>{{}, "openmp-dynamic"}; }, "openmp-dynamic");
    use([] { return openmp_way<schedule::guided>{{}, "openmp-guided"}; }, "openmp-guided");
}

}  // namespace runtime
