#pragma once
// A file that anybody may have put there.

#include <cstddef>
#include <string>

namespace bough::machine {

// The contents of a regular file of at most `most_bytes`. Throws std::runtime_error, with the reason. Never waits for
// anybody: a pipe or a terminal, also one that has just taken the file's place, is opened without waiting, and refused.
std::string read_regular_file(const std::string& path, std::size_t most_bytes);

}  // namespace bough::machine
