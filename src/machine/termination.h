#pragma once
// global_control::terminate_on_exception, as every layer asks for it. It says nothing of a machine: it stands here
// since the lowest layers throw, too.

#include "bough/exports/termination.h"

namespace bough::machine {

void set_terminates_on_exception(bool terminates) noexcept;

}  // namespace bough::machine
