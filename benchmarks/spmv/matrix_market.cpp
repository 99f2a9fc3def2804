#include "spmv/matrix_market.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include <unistd.h>

#include "spmv/line_reader.h"

namespace bench {
namespace {

struct entry {
    std::uint32_t row;
    std::uint32_t column;
    double value;
};

std::string_view next_word(std::string_view& text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t'; };
    const auto begin = std::find_if_not(text.begin(), text.end(), blank);
    const auto end = std::find_if(begin, text.end(), blank);
    const auto from = static_cast<std::size_t>(begin - text.begin());
    const std::string_view word = text.substr(from, static_cast<std::size_t>(end - begin));
    text.remove_prefix(from + word.size());
    return word;
}

std::string lower(std::string_view word) {
    std::string result(word);
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

template <class T>
std::optional<T> number(std::string_view word) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-')
        word.remove_prefix(1);
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size())
        return std::nullopt;
    return value;
}

std::string quoted(std::string_view text) {
    constexpr std::size_t longest = 40;
    std::string shown(text.substr(0, longest));
    for (char& c : shown)
        if (!std::isprint(static_cast<unsigned char>(c)))
            c = '?';
    return "'" + shown + (text.size() > longest ? "...'" : "'");
}

[[noreturn]] void unknown(const line_reader& in, const char* what, const std::string& word,
                          const char* allowed) {
    in.fail(std::string(what) + " " + quoted(word) + " is not supported; allowed: " + allowed);
}

void read_banner(line_reader& in, matrix_market_header& header) {
    std::string_view line;
    if (!in.next(line))
        in.fail("the file is empty");
    if (lower(next_word(line)) != "%%matrixmarket")
        in.fail("a Matrix Market file begins with %%MatrixMarket");
    const std::string object = lower(next_word(line)), format = lower(next_word(line));
    const std::string field = lower(next_word(line)), symmetry = lower(next_word(line));
    if (object != "matrix")
        unknown(in, "object", object, "matrix");
    if (format != "coordinate")
        unknown(in, "format", format, "coordinate");
    if (field == "real" || field == "double")
        header.field = matrix_field::real;
    else if (field == "integer")
        header.field = matrix_field::integer;
    else if (field == "pattern")
        header.field = matrix_field::pattern;
    else
        unknown(in, "field", field, "real, integer, pattern");
    if (symmetry == "general")
        header.symmetry = matrix_symmetry::general;
    else if (symmetry == "symmetric")
        header.symmetry = matrix_symmetry::symmetric;
    else if (symmetry == "skew-symmetric")
        header.symmetry = matrix_symmetry::skew;
    else
        unknown(in, "symmetry", symmetry, "general, symmetric, skew-symmetric");
}

// The next line that is neither blank nor a comment.
bool next_data_line(line_reader& in, std::string_view& line) {
    while (in.next(line)) {
        std::string_view rest = line;
        const std::string_view word = next_word(rest);
        if (!word.empty() && word[0] != '%')
            return true;
    }
    return false;
}

void read_size(line_reader& in, matrix_market_header& header) {
    std::string_view line;
    if (!next_data_line(in, line))
        in.fail("the file ends before the line with rows, columns and entries");
    const std::string shown = quoted(line);
    const auto rows = number<std::uint64_t>(next_word(line));
    const auto columns = number<std::uint64_t>(next_word(line));
    const auto entries = number<std::uint64_t>(next_word(line));
    if (!rows || !columns || !entries || !next_word(line).empty())
        in.fail("expected three whole numbers (rows, columns, entries), found " + shown);
    constexpr std::uint64_t most = std::uint64_t{1} << 28;
    if (*rows < 1 || *columns < 1 || *rows > most || *columns > most)
        in.fail("rows and columns must be from 1 to " + std::to_string(most) + ", found " + shown);
    if (header.symmetry != matrix_symmetry::general && *rows != *columns)
        in.fail("a symmetric matrix must be square, found " + shown);
    header.rows = *rows;
    header.columns = *columns;
    header.entries = *entries;
}

// Vectors and row pointers are as long as the header says; entries come one by one.
void check_memory(const line_reader& in, const matrix_market_header& header, std::uint64_t entries) {
    static const std::uint64_t memory = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                        static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t needed = 40 * header.rows + 16 * header.columns + 3 * sizeof(entry) * entries;
    if (needed > memory / 2)
        in.fail("the matrix needs over " + std::to_string(needed >> 20) +
                " MiB, more than half of this machine's memory");
}

entry read_entry(const line_reader& in, const matrix_market_header& header, std::string_view line) {
    const std::string_view whole = line;
    const auto row = number<std::uint64_t>(next_word(line));
    const auto column = number<std::uint64_t>(next_word(line));
    std::optional<double> value = 1.0;
    if (header.field != matrix_field::pattern)
        value = number<double>(next_word(line));
    if (!row || !column || !value || !next_word(line).empty())
        in.fail(std::string("expected row, column") +
                (header.field == matrix_field::pattern ? "" : ", value") + ", found " + quoted(whole));
    if (*row < 1 || *row > header.rows || *column < 1 || *column > header.columns)
        in.fail("entry " + quoted(whole) + " lies outside of " + std::to_string(header.rows) + " x " +
                std::to_string(header.columns));
    if (!std::isfinite(*value))
        in.fail("value of entry " + quoted(whole) + " is not finite");
    if (header.symmetry == matrix_symmetry::skew && *row == *column)
        in.fail("a skew-symmetric matrix has no diagonal entries, found " + quoted(whole));
    return {static_cast<std::uint32_t>(*row - 1), static_cast<std::uint32_t>(*column - 1), *value};
}

std::vector<entry> read_entries(line_reader& in, const matrix_market_header& header) {
    std::vector<entry> entries;
    std::string_view line;
    const auto ended = [&](std::uint64_t read) {
        in.fail("the file ends after " + std::to_string(read) + " of " + std::to_string(header.entries) +
                " entries");
    };
    check_memory(in, header, 0);
    for (std::uint64_t read = 0; read < header.entries; ++read) {
        if (!next_data_line(in, line))
            ended(read);
        if (read % 1048576 == 0)
            check_memory(in, header, entries.size());
        const entry e = read_entry(in, header, line);
        entries.push_back(e);
        if (header.symmetry != matrix_symmetry::general && e.row != e.column)
            entries.push_back(
                {e.column, e.row, header.symmetry == matrix_symmetry::skew ? -e.value : e.value});
    }
    if (next_data_line(in, line))
        in.fail("more entries than the " + std::to_string(header.entries) + " that the header names");
    return entries;
}

csr to_csr(const matrix_market_header& header, const std::vector<entry>& entries) {
    csr m;
    m.rows = header.rows;
    m.columns = header.columns;
    m.row_begin = buffer<std::uint64_t>(m.rows + 1);
    m.column = buffer<std::uint32_t>(entries.size());
    m.value = buffer<double>(entries.size());
    for (const entry& e : entries)
        ++m.row_begin[e.row + 1];
    for (std::size_t i = 0; i < m.rows; ++i)
        m.row_begin[i + 1] += m.row_begin[i];
    std::vector<std::uint64_t> next(m.row_begin.data(), m.row_begin.data() + m.rows);
    for (const entry& e : entries) {
        const std::uint64_t at = next[e.row]++;
        m.column[at] = e.column;
        m.value[at] = e.value;
    }
    return m;
}

}  // namespace

matrix_market_header read_matrix_market_header(const std::string& file) {
    line_reader in(file);
    matrix_market_header header;
    read_banner(in, header);
    read_size(in, header);
    return header;
}

csr read_matrix_market(const std::string& file) {
    line_reader in(file);
    matrix_market_header header;
    read_banner(in, header);
    read_size(in, header);
    return to_csr(header, read_entries(in, header));
}

std::string matrix_case_name(const std::string& file) {
    std::string name = file.substr(file.find_last_of('/') + 1);
    for (const char* ending : {".gz", ".mtx"})
        if (name.size() > std::string_view(ending).size() && name.ends_with(ending))
            name.resize(name.size() - std::string_view(ending).size());
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.')
            c = '_';
    return name;
}

}  // namespace bench
