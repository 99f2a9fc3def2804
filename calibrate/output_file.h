#pragma once
// A file that is there whole or not at all: written beside its place, then renamed.

#include <string>

namespace bough::calibrate {

// Finds out whether a file can be written there, in a folder that may have to be made, before minutes are spent on
// measuring. Leaves nothing behind. Throws std::runtime_error that names the path and the reason.
void check_writable(const std::string& path);

// For a file that another program writes. Throws likewise.
void make_folder_of(const std::string& path);

// Makes the folder as well. Throws likewise; the old file, if any, is then untouched.
void write_whole(const std::string& path, const std::string& text);

}  // namespace bough::calibrate
