// PageRank of a sparse matrix: an ordinary oneTBB program that knows nothing of bough. Entry (i, j) is a link from i
// to j. usage: pagerank MATRIX.mtx[.gz] [ROUNDS]

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <zlib.h>

namespace {

using range = tbb::blocked_range<std::size_t>;

// Links into each page, row by row, and how many links leave each page.
struct links {
    std::vector<std::size_t> row_begin;
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> leaving;
    std::size_t pages() const { return leaving.size(); }
};

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "pagerank: %s\n", what.c_str());
    std::exit(2);
}

links assemble(std::size_t pages, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    links l{std::vector<std::size_t>(pages + 1), std::vector<std::uint32_t>(edges.size()),
            std::vector<std::uint32_t>(pages)};
    for (const auto& [i, j] : edges) {
        ++l.leaving[i];
        ++l.row_begin[j + 1];
    }
    std::partial_sum(l.row_begin.begin(), l.row_begin.end(), l.row_begin.begin());
    std::vector<std::size_t> next(l.row_begin.begin(), l.row_begin.end() - 1);
    for (const auto& [i, j] : edges)
        l.from[next[j]++] = i;
    return l;
}

links read_matrix(const std::string& path) {
    gzFile file = gzopen(path.c_str(), "rb");
    if (!file)
        fail("cannot read " + path);
    char line[1024];
    unsigned long number = 0, pages = 0, columns = 0, entries = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    while (gzgets(file, line, sizeof line)) {
        ++number;
        unsigned long i = 0, j = 0;
        if (line[0] == '%' || line[0] == '\n')
            continue;
        if (pages == 0) {
            if (std::sscanf(line, "%lu %lu %lu", &pages, &columns, &entries) != 3 || pages == 0 ||
                pages != columns)
                fail(path + ":" + std::to_string(number) + ": expected the size of a square matrix");
            edges.reserve(entries);
        } else if (std::sscanf(line, "%lu %lu", &i, &j) != 2 || i - 1 >= pages || j - 1 >= pages) {
            fail(path + ":" + std::to_string(number) + ": expected a row and a column");
        } else {
            edges.emplace_back(std::uint32_t(i - 1), std::uint32_t(j - 1));
        }
    }
    const bool complete = gzeof(file) && edges.size() == entries && pages > 0;
    gzclose(file);
    if (!complete)
        fail(path + ":" + std::to_string(number) + ": the file ends too early");
    return assemble(pages, edges);
}

double sum(std::size_t n, const std::function<double(std::size_t)>& term) {
    return tbb::parallel_reduce(
        range(0, n, 1024), 0.0,
        [&](const range& r, double s) {
            for (auto i = r.begin(); i != r.end(); ++i)
                s += term(i);
            return s;
        },
        std::plus<>());
}

// Iterates until the ranks move by less than 1e-10 in all; returns the number of iterations.
int pagerank(const links& l, std::vector<double>& rank) {
    const double damping = 0.85;
    const std::size_t n = l.pages();
    std::vector<double> share(n), next(n);
    rank.assign(n, 1.0 / double(n));
    for (int iteration = 1;; ++iteration) {
        tbb::parallel_for(range(0, n), [&](const range& r) {
            for (auto i = r.begin(); i != r.end(); ++i)
                share[i] = l.leaving[i] ? rank[i] / l.leaving[i] : 0.0;
        });
        const double stranded = sum(n, [&](std::size_t i) { return l.leaving[i] ? 0.0 : rank[i]; });
        const double base = (1.0 - damping + damping * stranded) / double(n);
        tbb::parallel_for(range(0, n), [&](const range& r) {
            for (auto i = r.begin(); i != r.end(); ++i) {
                double in = 0;
                for (auto k = l.row_begin[i]; k != l.row_begin[i + 1]; ++k)
                    in += share[l.from[k]];
                next[i] = base + damping * in;
            }
        });
        const double moved = sum(n, [&](std::size_t i) { return std::fabs(next[i] - rank[i]); });
        rank.swap(next);
        if (moved < 1e-10 || iteration == 500)
            return iteration;
    }
}

}  // namespace

int main(int argc, char** argv) {
    const links l = read_matrix(argc > 1 ? argv[1] : "benchmarks/data/debian12-dependencies.mtx.gz");
    const int rounds = argc > 2 ? std::atoi(argv[2]) : 10;
    std::vector<double> rank;
    int iterations = pagerank(l, rank);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i)
        iterations = pagerank(l, rank);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;

    double checksum = 0;
    for (std::size_t i = 0; i < rank.size(); ++i)
        checksum += rank[i] * double(i % 97);
    std::printf("case pagerank\npages %zu\niterations %d\nchecksum %.9e\ntime_ms %.3f\n", l.pages(),
                iterations, checksum, time.count() / rounds);
}
