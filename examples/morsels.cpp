// Heat spreads over a plate: each step writes a matrix in morsels, which stay with their threads from step to step.
#include <bough/bough.h>

#include <cstddef>
#include <cstdio>
#include <vector>

int main() {
    constexpr std::size_t rows = 2000, cols = 1024;  // of 8 KiB each
    constexpr int steps = 20;
    using plate = bough::blocked_range2d<std::size_t>;

    bough::affinity_partitioner memory;
    const bough::morsel_partitioner morsels(memory, sizeof(double));
    std::vector<double> now(rows * cols), next(rows * cols);
    for (std::size_t c = 0; c < cols; ++c)
        now[c] = next[c] = 100;  // the hot edge
    for (int s = 0; s < steps; ++s) {
        bough::parallel_for(
            plate(1, rows - 1, 1, cols - 1),
            [&](const plate& morsel) {
                for (std::size_t r = morsel.rows().begin(); r < morsel.rows().end(); ++r)
                    for (std::size_t c = morsel.cols().begin(); c < morsel.cols().end(); ++c) {
                        const std::size_t i = r * cols + c;
                        next[i] = (now[i - cols] + now[i - 1] + now[i + 1] + now[i + cols]) / 4;
                    }
            },
            morsels);
        now.swap(next);
    }
    const double heat = bough::parallel_reduce(
        plate(0, rows, 0, cols), 0.0,
        [&](const plate& morsel, double sum) {
            for (std::size_t r = morsel.rows().begin(); r < morsel.rows().end(); ++r)
                for (std::size_t c = morsel.cols().begin(); c < morsel.cols().end(); ++c)
                    sum += now[r * cols + c];
            return sum;
        },
        [](double a, double b) { return a + b; }, morsels);
    std::printf("heat after %d steps: %.6g\n", steps, heat);
}
