#pragma once
// How many of our CPUs other programs, and the hypervisor, kept busy meanwhile: what was measured then is not to be
// trusted.

#include <chrono>
#include <optional>
#include <string>

namespace bough::calibrate {

class others {
public:
    others();
    // Since the start, on average; nothing where the system does not tell.
    std::optional<double> cpus() const;
    // Empty when it was next to nothing, or nobody can tell.
    std::string warning() const;

private:
    std::chrono::steady_clock::time_point begin_;
    std::optional<double> busy_s_;
    double ours_s_;
};

}  // namespace bough::calibrate
