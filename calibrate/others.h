#pragma once
// What other programs and the hypervisor took from us meanwhile: what was measured then is not to be trusted.

#include <chrono>
#include <optional>

namespace bough::calibrate {

struct disturbance {
    unsigned cpus = 1;  // that are ours, by the affinity mask
    // Of them others kept so many busy, on average; nothing where the system does not tell.
    std::optional<double> others_cpus;
    double stolen_cpus = 0;  // of these, what the hypervisor gave to other guests
    // How often our threads lost a CPU without asking, in a second of their CPU time.
    double switches_per_cpu_s = 0;
};

class others {
public:
    others();
    disturbance since_start() const;

private:
    struct ticks {
        double busy_s = 0;
        double stolen_s = 0;
    };
    struct usage {
        double cpu_s = 0;
        double switches = 0;
    };
    static std::optional<ticks> read_ticks();
    static usage read_usage();

    std::chrono::steady_clock::time_point begin_;
    std::optional<ticks> ticks_;
    usage usage_;
};

}  // namespace bough::calibrate
