#pragma once
// The variables of the process's environment. Every variable that bough reads is read here. Behind it:
// src/machine/environment_linux.cpp.

#include "../config.h"

namespace bough::detail {

// Does the process have rights that its starter lacks, as a set-user-ID program, or a program with capabilities? Then
// the starter's environment must not name files or plug-ins.
BOUGH_EXPORT bool has_more_rights_than_its_starter() noexcept;

// The variable's value. Null: it is not set, or the process has more rights than its starter.
BOUGH_EXPORT const char* environment_value(const char* name) noexcept;

}  // namespace bough::detail
