#pragma once
// Addresses in code.

#include <string>
#include <vector>

namespace bough::checks {

// For a reader: the file and the offset in it that addr2line takes, and the name, if it is exported.
std::string code_place(const void* address);

// The functions that the calling one was called from, innermost first, as places of the calls; 64 at most.
std::vector<const void*> calls_here();

}  // namespace bough::checks
