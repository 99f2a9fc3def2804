// parallel_for: indices, steps, ranges of all dimensions, affinity, morsels.

#include <bough/blocked_range.h>
#include <bough/morsel.h>
#include <bough/parallel_for.h>

#include <vector>

#include "stress/mix/operations.h"
#include "stress/mix/partitioners.h"
#include "stress/mix/trial.h"

namespace mix {

using indices = bough::blocked_range<std::size_t>;

void loop_over_indices(scope& s) {
    trial t(s, some(s.roll));
    const std::size_t first = s.roll.below(1000), step = s.roll.between(1, 5);
    t.run([&](auto& context) {
        with_partitioner(s.roll, [&](auto&& partitioner) {
            if (step == 1)
                bough::parallel_for(
                    first, first + t.size(), [&](std::size_t i) { t.visit(i - first); }, partitioner,
                    context);
            else
                bough::parallel_for(
                    first, first + t.size() * step, step, [&](std::size_t i) { t.visit((i - first) / step); },
                    partitioner, context);
        });
    });
}

void loop_over_range(scope& s) {
    // Now and then so many that they are worth a hand-off, whatever one of them costs.
    trial t(s, s.roll.one_in(16) ? s.roll.below(20000) : some(s.roll));
    const std::size_t grain = s.roll.one_in(2) ? 1 : s.roll.between(1, 40);
    t.run([&](auto& context) {
        const auto body = [&](const indices& piece) {
            for (std::size_t i = piece.begin(); i < piece.end(); ++i)
                t.visit(i);
        };
        with_partitioner(s.roll, [&](auto&& partitioner) {
            bough::parallel_for(indices(0, t.size(), grain), body, partitioner, context);
        });
    });
}

void loop_over_dimensions(scope& s) {
    const std::size_t pages = s.roll.between(1, 4), rows = s.roll.below(12), cols = s.roll.below(12);
    trial t(s, pages * rows * cols);
    t.run([&](auto& context) {
        const auto visit = [&](const auto& p, const auto& r, const auto& c) {
            for (auto i = p.begin(); i < p.end(); ++i)
                for (auto j = r.begin(); j < r.end(); ++j)
                    for (auto k = c.begin(); k < c.end(); ++k)
                        t.visit((i * rows + j) * cols + k);
        };
        const std::size_t kind = s.roll.below(3);
        with_partitioner(s.roll, [&](auto&& partitioner) {
            if (kind == 0)
                bough::parallel_for(
                    bough::blocked_range2d<std::size_t>(0, pages * rows, 3, 0, cols, 2),
                    [&](const auto& r) { visit(indices(0, 1), r.rows(), r.cols()); }, partitioner, context);
            else if (kind == 1)
                bough::parallel_for(
                    bough::blocked_range3d<std::size_t>(0, pages, 0, rows, 0, cols),
                    [&](const auto& r) { visit(r.pages(), r.rows(), r.cols()); }, partitioner, context);
            else
                bough::parallel_for(
                    bough::blocked_rangeNd<std::size_t, 3>({0, pages}, {0, rows, 2}, {0, cols}),
                    [&](const auto& r) { visit(r.dim(0), r.dim(1), r.dim(2)); }, partitioner, context);
        });
    });
}

// The same object again and again: chunks are sent to where they ran.
void loops_with_affinity(scope& s) {
    bough::affinity_partitioner affinity;
    const std::size_t n = some(s.roll);
    for (std::size_t loops = s.roll.between(1, 4); loops > 0; --loops) {
        scope inner = s.nested(loops);
        inner.name = s.name;
        trial t(inner, n);
        t.run([&](auto& context) {
            bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) { t.visit(i); }, affinity, context);
        });
    }
}

void loop_over_morsels(scope& s) {
    trial t(s, some(s.roll));
    const std::size_t bytes = s.roll.between(1, 512), begin = s.roll.below(20);
    std::vector<std::uint32_t> data(begin + t.size());
    t.run([&](auto& context) {
        if (s.roll.one_in(2)) {
            bough::parallel_for(
                indices(begin, data.size()),
                [&](const auto& piece) {
                    for (std::size_t i = piece.begin(); i < piece.end(); ++i)
                        t.visit(i - begin);
                },
                bough::morsel_partitioner(sizeof(data[0]), bytes), context);
            return;
        }
        with_partitioner(s.roll, [&](auto&& partitioner) {
            bough::parallel_for(
                bough::morsel_range<std::uint32_t>(data.data(), begin, data.size(), bytes),
                [&](const auto& piece) {
                    for (std::size_t i = piece.begin(); i < piece.end(); ++i)
                        t.visit(i - begin);
                },
                partitioner, context);
        });
    });
}

}  // namespace mix
