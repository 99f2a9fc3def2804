#pragma once
// As bough.h beside it. Programs compiled for oneTBB cannot ask for the variant: these tests run on the default one.

#include <string_view>

namespace bough {

inline std::string_view variant() {
    return "chase-lev";
}

}  // namespace bough
