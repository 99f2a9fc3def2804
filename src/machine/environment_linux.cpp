#include <sys/auxv.h>

#include <cstdlib>

#include "bough/exports/environment.h"

namespace bough::detail {

bool has_more_rights_than_its_starter() noexcept {
    return getauxval(AT_SECURE) != 0;
}

const char* environment_value(const char* name) noexcept {
    return secure_getenv(name);
}

}  // namespace bough::detail
