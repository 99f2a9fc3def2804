#include "machine/fp_settings.h"

#include "bough/exports/fp_settings.h"

namespace bough::detail {

std::uint64_t current_fp_settings() noexcept {
    return machine::fp_settings();
}

void set_fp_settings(std::uint64_t settings) noexcept {
    machine::set_fp_settings(settings);
}

}  // namespace bough::detail
