#pragma once
// What the environment says of waits and spins. Not the library's own answer, as tests that run on its variants see no
// more of it than users do.

#include <cstdlib>
#include <string_view>

namespace bough_test {

inline bool is_set(const char* variable, std::string_view value) {
    const char* const given = std::getenv(variable);
    return given && given == value;
}

inline bool waits_for_descendants() {
    return is_set("BOUGH_WAIT", "descendants");
}
inline bool spins_forever() {
    return is_set("BOUGH_SPIN_US", "forever");
}

}  // namespace bough_test
