#pragma once
// What this machine is called, so that a profile of another one can be refused.

#include <string>

namespace bough::machine {

// Model name as the processor states it, with family, model and stepping where the name alone is vague (guests).
// Reads no file on x86-64: /proc/cpuinfo costs up to 20 ms with hundreds of cores.
std::string cpu_model();

}  // namespace bough::machine
