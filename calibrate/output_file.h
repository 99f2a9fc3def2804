#pragma once
// A file that is there whole or not at all: written beside its place, then renamed.

#include <string>

namespace bough::calibrate {

// Makes the folder and finds out whether a file can be written there, before minutes are spent on measuring.
// Throws std::runtime_error that names the path and the reason.
void check_writable(const std::string& path);

// Throws likewise; the old file, if any, is then untouched.
void write_whole(const std::string& path, const std::string& text);

}  // namespace bough::calibrate
