// Many small matrices, loops inside loops: an ordinary oneTBB program that knows nothing of bough. The outer loop runs
// over the batch, the inner ones over the rows of each product and each transpose. usage: nested [ROUNDS]

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t side = 64;
constexpr std::size_t batch = 16;
using range = tbb::blocked_range<std::size_t>;
using matrix = std::vector<double>;

void transpose(const matrix& in, matrix& out) {
    tbb::parallel_for(range(0, side), [&](const range& rows) {
        for (auto i = rows.begin(); i != rows.end(); ++i)
            for (std::size_t j = 0; j < side; ++j)
                out[j * side + i] = in[i * side + j];
    });
}

// c = a * b, with b given transposed.
void multiply(const matrix& a, const matrix& bt, matrix& c) {
    tbb::parallel_for(std::size_t{0}, side, [&](std::size_t i) {
        for (std::size_t j = 0; j < side; ++j) {
            double s = 0;
            for (std::size_t k = 0; k < side; ++k)
                s += a[i * side + k] * bt[j * side + k];
            c[i * side + j] = s;
        }
    });
}

struct work {
    std::vector<matrix> a, b, t, c;
};

work make_work() {
    work w;
    const std::vector<matrix> zeros(batch, matrix(side * side));
    w.a = w.b = w.t = w.c = zeros;
    for (std::size_t m = 0; m < batch; ++m)
        for (std::size_t i = 0; i < side * side; ++i) {
            w.a[m][i] = double((i * 7 + m) % 13) - 6;
            w.b[m][i] = double((i * 5 + m) % 11) - 5;
        }
    return w;
}

void transposes(work& w) {
    tbb::parallel_for(std::size_t{0}, batch, [&](std::size_t m) { transpose(w.b[m], w.t[m]); });
}

void products(work& w) {
    tbb::parallel_for(std::size_t{0}, batch, [&](std::size_t m) { multiply(w.a[m], w.t[m], w.c[m]); });
}

template <class Step>
void measure(const char* name, work& w, int rounds, Step step) {
    step(w);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i)
        step(w);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    double checksum = 0;
    for (const auto* set : {&w.t, &w.c})
        for (const auto& m : *set)
            for (std::size_t i = 0; i < m.size(); ++i)
                checksum += m[i] * double(i % 31);
    std::printf("case %s\nchecksum %.9e\ntime_ms %.4f\n", name, checksum, time.count() / rounds);
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
    work w = make_work();
    measure("nested transpose", w, rounds * 20, transposes);
    measure("nested product", w, rounds, products);
}
