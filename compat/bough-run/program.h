#pragma once
// What kind of file a program is: found in PATH, followed through #! lines, its ELF header read. Starts nothing.

#include <string>

namespace bough::run {

struct program {
    std::string path;    // what to execute
    std::string image;   // the binary that the loader will see: path itself, or a script's interpreter
    std::string loader;  // the image's PT_INTERP
    bool by_script{false};
};

// Throws failure: not there, not executable, no program, another machine's, static, or one that runs with the rights
// of its file.
program find_program(const std::string& name);

}  // namespace bough::run
