// The processor's own name; see identity.h.

#include "machine/identity.h"

#include <array>
#include <cstring>
#include <fstream>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace bough::machine {
namespace {

[[maybe_unused]] std::string trimmed(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t");
    const std::size_t last = text.find_last_not_of(" \t");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

#if defined(__x86_64__)
std::string brand() {
    std::array<unsigned, 4> words{};
    std::string name;
    for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
        if (__get_cpuid(leaf, &words[0], &words[1], &words[2], &words[3]) == 0)
            return "x86-64";
        std::array<char, sizeof words + 1> text{};
        std::memcpy(text.data(), words.data(), sizeof words);
        name += text.data();
    }
    return trimmed(name);
}

std::string signature() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0)
        return "";
    const unsigned base = (a >> 8) & 15;
    const unsigned family = base == 15 ? base + ((a >> 20) & 255) : base;
    const unsigned model = ((a >> 4) & 15) + (base == 15 || base == 6 ? ((a >> 16) & 15) << 4 : 0);
    return std::to_string(family) + "." + std::to_string(model) + "." + std::to_string(a & 15);
}
#else
// Model name where the kernel gives one, else implementer and part ("0x41 0xd0c") of the first CPU.
std::string brand() {
    std::ifstream file("/proc/cpuinfo");
    std::string line, implementer, part;
    while (std::getline(file, line) && !line.empty()) {
        const std::size_t colon = line.find(':');
        if (colon == std::string::npos)
            continue;
        const std::string key = trimmed(line.substr(0, colon));
        const std::string value = trimmed(line.substr(colon + 1));
        if (key == "model name")
            return value;
        if (key == "CPU implementer")
            implementer = value;
        if (key == "CPU part")
            part = value;
    }
    return implementer.empty() ? "unknown CPU" : implementer + " " + part;
}

std::string signature() {
    return "";
}
#endif

}  // namespace

std::string cpu_model() {
    const std::string mark = signature();
    return mark.empty() ? brand() : brand() + " (" + mark + ")";
}

}  // namespace bough::machine
