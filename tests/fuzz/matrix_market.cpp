// A matrix file of any content, gzipped or not, is refused with one line that names it, or gives a matrix that is
// whole, and that is read again as it was written.

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <tuple>

#include "fuzz_support.h"
#include "spmv/matrix_market.h"

namespace {

using bough_fuzz::check;

const bough_fuzz::memory_file& file() {
    static const bough_fuzz::memory_file one;
    return one;
}

// The message; empty if nothing was refused.
std::string refusal(const std::function<void()>& read) {
    try {
        read();
        return "";
    } catch (const bench::matrix_error& e) {
        const std::string what = e.what();
        check(bough_fuzz::is_one_line(what, 400), "one line", what);
        check(what.starts_with(file().path() + ":"), "it names the file", what);
        return what;
    }
}

void check_whole(const bench::csr& m, const bench::matrix_market_header& header) {
    check(m.rows == header.rows && m.columns == header.columns, "the size that the header says");
    const std::size_t stored = m.column.size();
    const bool is_general = header.symmetry == bench::matrix_symmetry::general;
    check(m.value.size() == stored && stored >= header.entries &&
              stored <= (is_general ? 1 : 2) * header.entries,
          "as many entries as the header says", std::to_string(stored));
    check(m.row_begin.size() == m.rows + 1 && m.row_begin[0] == 0 && m.row_begin[m.rows] == stored,
          "rows hold all entries");
    for (std::size_t i = 0; i < m.rows; ++i)
        check(m.row_begin[i] <= m.row_begin[i + 1], "rows in order");
    for (std::size_t k = 0; k < stored; ++k)
        check(m.column[k] < m.columns && std::isfinite(m.value[k]), "entries within the matrix");
}

using triple = std::tuple<std::size_t, std::size_t, double>;

std::vector<triple> sorted_entries(const bench::csr& m, bool transposed, double sign) {
    std::vector<triple> result;
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k)
            result.emplace_back(transposed ? m.column[k] : i, transposed ? i : m.column[k],
                                sign * m.value[k]);
    std::sort(result.begin(), result.end());
    return result;
}

void check_symmetry(const bench::csr& m, bench::matrix_symmetry symmetry) {
    if (symmetry == bench::matrix_symmetry::general)
        return;
    const double sign = symmetry == bench::matrix_symmetry::skew ? -1 : 1;
    check(sorted_entries(m, false, 1) == sorted_entries(m, true, sign), "it is its own transpose");
}

std::string written(const bench::csr& m) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(m.rows) + " " +
                       std::to_string(m.columns) + " " + std::to_string(m.column.size()) + "\n";
    for (std::size_t i = 0; i < m.rows; ++i)
        for (std::size_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k) {
            char value[32];
            const auto end = std::to_chars(value, value + sizeof value, m.value[k]).ptr;
            text += std::to_string(i + 1) + " " + std::to_string(m.column[k] + 1) + " " +
                    std::string(value, end) + "\n";
        }
    return text;
}

template <class T>
bool is_same(const bench::buffer<T>& a, const bench::buffer<T>& b) {
    return std::equal(a.data(), a.data() + a.size(), b.data(), b.data() + b.size());
}

void check_round_trip(const bench::csr& m) {
    file().hold(written(m));
    const bench::csr again = bench::read_matrix_market(file().path());
    check(again.rows == m.rows && again.columns == m.columns && is_same(again.row_begin, m.row_begin) &&
              is_same(again.column, m.column) && is_same(again.value, m.value),
          "it is read again as it was written", written(m));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::uint64_t most = 1 << 14;  // a header may ask for memory that the fuzzer does not have
    file().hold(bough_fuzz::text_of(data, size));
    bench::matrix_market_header header;
    const std::string refused_header =
        refusal([&] { header = bench::read_matrix_market_header(file().path()); });
    if (refused_header.empty() && (header.rows > most || header.columns > most)) {
        check(header.rows <= 1 << 28 && header.columns <= 1 << 28, "rows and columns up to 2^28");
        return 0;
    }
    bench::csr m;
    const std::string refused = refusal([&] { m = bench::read_matrix_market(file().path()); });
    if (!refused_header.empty())
        check(refused == refused_header, "a header that is refused is refused", refused);
    if (!refused.empty())
        return 0;
    check_whole(m, header);
    check_symmetry(m, header.symmetry);
    check_round_trip(m);
    return 0;
}
