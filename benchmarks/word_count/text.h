#pragma once
// Real text, from a file or from all files of a folder.

#include <stdexcept>
#include <string>

namespace bench {

struct text_error : std::runtime_error {
    using runtime_error::runtime_error;
};

// All of it, in small letters. A folder's files come in the order of their names, symbolic links left out.
// Throws text_error, which names the path, when something cannot be read or there is no letter in it.
std::string read_text(const std::string& path);

// The file's or folder's name without what stands behind a dot.
std::string text_name(const std::string& path);

}  // namespace bench
