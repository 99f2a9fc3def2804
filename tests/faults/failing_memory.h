#pragma once
// Makes a chosen allocation of the process fail. failing_memory.cpp stands in the place of malloc and its kind, of mmap
// and munmap; operator new comes by there too. Nothing here allocates.

#include <cstddef>

namespace failing_memory {

enum class whose { callers, everybodys };  // of the thread that arms, or of all
enum class how_many { one, all_from_there };

// From now on the n-th allocation, counted from 1, fails; or it and all that come after it.
void arm(whose w, how_many h, long n) noexcept;

// Returns how many were refused.
long disarm() noexcept;

// Blocks and mappings that were made and not given back, in the whole process.
long live() noexcept;

// All that were ever refused.
long refused_in_all() noexcept;

}  // namespace failing_memory
