#pragma once
// The process's environment, as far as it may steer the process: every variable is read here. Behind it:
// src/machine/environment_linux.cpp.

#include "../config.h"

namespace bough::detail {

// The process has rights that its starter lacks: a set-user-ID program, or one with capabilities. Then the starter's
// environment names no files and no plug-ins.
BOUGH_EXPORT bool has_more_rights_than_its_starter() noexcept;

// Null: not set, or the process has more rights than its starter.
BOUGH_EXPORT const char* environment_value(const char* name) noexcept;

}  // namespace bough::detail
