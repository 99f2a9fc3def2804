#pragma once
// Lines of a plain or gzipped file, with their numbers.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <zlib.h>

#include "spmv/matrix_market.h"

namespace bench {

class line_reader {
public:
    explicit line_reader(std::string file);
    ~line_reader();
    line_reader(const line_reader&) = delete;
    line_reader& operator=(const line_reader&) = delete;

    // False at the end of the file. The view lives until the next call; line ends (\n, \r\n) are taken off.
    bool next(std::string_view& line);

    // Throws a matrix_error about the line read last.
    [[noreturn]] void fail(const std::string& message) const;

    std::uint64_t number() const { return number_; }

private:
    static constexpr std::size_t longest_line = 65536;

    bool refill();

    std::string file_;
    gzFile stream_;
    std::array<char, 65536> chunk_;
    std::size_t position_ = 0;
    std::size_t filled_ = 0;
    std::string line_;
    std::uint64_t number_ = 0;
};

}  // namespace bench
