#pragma once
// LLVM's OpenMP, with each of its schedules. A loop in a loop runs on one thread, which is OpenMP's default.

#include <cstddef>

namespace runtime {

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

struct openmp_static : openmp_scan {
    const char* name = "openmp-static";

    template <class Body>
    void for_each(std::size_t n, const Body& body) {
#pragma omp parallel for schedule(static)
        for (std::size_t unit = 0; unit < n; ++unit)
            body(unit);
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for_each(n, body);
    }
};

struct openmp_dynamic : openmp_scan {
    const char* name = "openmp-dynamic";

    template <class Body>
    void for_each(std::size_t n, const Body& body) {
#pragma omp parallel for schedule(dynamic)
        for (std::size_t unit = 0; unit < n; ++unit)
            body(unit);
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for_each(n, body);
    }
};

struct openmp_guided : openmp_scan {
    const char* name = "openmp-guided";

    template <class Body>
    void for_each(std::size_t n, const Body& body) {
#pragma omp parallel for schedule(guided)
        for (std::size_t unit = 0; unit < n; ++unit)
            body(unit);
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        for_each(n, body);
    }
};

template <class Use>
void use_ways(const Use& use) {
    use([] { return openmp_static{}; }, "openmp-static");
    use([] { return openmp_dynamic{}; }, "openmp-dynamic");
    use([] { return openmp_guided{}; }, "openmp-guided");
}

}  // namespace runtime
