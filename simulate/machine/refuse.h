#pragma once
// What the virtual machine cannot do ends the program with one line that names it, and status 2.

namespace simulate {

[[noreturn]] void refuse(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace simulate
