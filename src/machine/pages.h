#pragma once
// Memory by the page.

#include <cstddef>

namespace bough::machine {

inline constexpr std::size_t smallest_page =
    4096;  // of all systems that we know; larger ones are multiples of it

// The whole pages in it hold zeros from now on, or what they held; their memory goes back to the system.
void give_pages_back(void* from, std::size_t bytes) noexcept;

}  // namespace bough::machine
