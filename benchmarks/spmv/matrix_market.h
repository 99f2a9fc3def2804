#pragma once
// Reader of Matrix Market files in coordinate form, plain or gzipped: real, integer or pattern; general, symmetric or
// skew-symmetric. Anything else, and anything malformed, is a matrix_error that names file and line.

#include <stdexcept>
#include <string>

#include "spmv/csr.h"

namespace bench {

struct matrix_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

enum class matrix_field { real, integer, pattern };
enum class matrix_symmetry { general, symmetric, skew };

struct matrix_market_header {
    matrix_field field = matrix_field::real;
    matrix_symmetry symmetry = matrix_symmetry::general;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::uint64_t entries = 0;
};

matrix_market_header read_matrix_market_header(const std::string& file);

// Memory for entries grows with what the file holds; for rows and columns it is what the header claims, up to half of
// the machine's, and more than that is refused.
csr read_matrix_market(const std::string& file);

// The file's name without folder and endings, as a part of a case's name.
std::string matrix_case_name(const std::string& file);

}  // namespace bench
