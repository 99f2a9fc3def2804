// The counter of x86-64 and aarch64 under Linux; see clock.h.

#include "machine/clock.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "bough/exports/environment.h"
#include "machine/once.h"
#include "machine/tick_rate.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

namespace bough::machine {

bool use_counter = false;

std::uint64_t steady_ticks() noexcept {
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

namespace {

// ---- the counter of this architecture

#if defined(__x86_64__)
constexpr clock_source counter_source = clock_source::tsc;
constexpr const char* counter_name = "TSC";

bool counter_invariant() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007, &a, &b, &c, &d) != 0 && (d & (1U << 8)) != 0;
}

std::uint64_t read_serialized() noexcept {
    _mm_lfence();
    const std::uint64_t t = __rdtsc();
    _mm_lfence();
    return t;
}

// CPUID 15h is absent on AMD and often wrong in guests: measured instead.
double stated_ticks_per_ns() {
    return 0;
}
#elif defined(__aarch64__)
constexpr clock_source counter_source = clock_source::cntvct;
constexpr const char* counter_name = "cntvct";

// The architecture demands it.
bool counter_invariant() {
    return true;
}

std::uint64_t read_serialized() noexcept {
    std::uint64_t t;
    asm volatile("isb; mrs %0, cntvct_el0; isb" : "=r"(t)::"memory");
    return t;
}

double stated_ticks_per_ns() {
    std::uint64_t hz;
    asm volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    return static_cast<double>(hz) / 1e9;
}
#else
constexpr clock_source counter_source = clock_source::steady;
constexpr const char* counter_name = "no counter";

bool counter_invariant() {
    return false;
}
std::uint64_t read_serialized() noexcept {
    return steady_ticks();
}
double stated_ticks_per_ns() {
    return 1;
}
#endif

// ---- frequency

// Both clocks at one moment: of several tries the one whose two counter reads lie closest together.
stamp read_both() {
    stamp best{};
    std::uint64_t narrowest = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 8; ++i) {
        const std::uint64_t before = read_serialized();
        const std::uint64_t steady = steady_ticks();
        const std::uint64_t width = read_serialized() - before;
        if (width < narrowest) {
            narrowest = width;
            best = {before + width / 2, steady};
        }
    }
    return best;
}

// Most programs have run for longer than rate_span_ns before their first loop, which then does not wait. Comes before
// static objects, which may run loops. A thread that runs one even earlier may miss this: release and acquire.
std::atomic<std::uint64_t> counter_at_load{0}, steady_at_load{0};
[[gnu::constructor(101)]] void look_at_load() {
    if (counter_source != clock_source::tsc || std::getenv("BOUGH_CLOCK") != nullptr)
        return;
    const stamp now = read_both();
    counter_at_load.store(now.counter, std::memory_order_relaxed);
    steady_at_load.store(now.steady, std::memory_order_release);
}
stamp at_load() {
    const std::uint64_t steady = steady_at_load.load(std::memory_order_acquire);
    return {counter_at_load.load(std::memory_order_relaxed), steady};
}

void wait_until(std::uint64_t steady) {
    while (steady_ticks() < steady) {
    }
}

double measure_ticks_per_ns() {
    const stamp now = read_both();
    wait_until(rate_is_known_at(at_load(), now));
    if (const double rate = ticks_per_ns_since_load(at_load(), now, read_both()); rate != 0)
        return rate;
    wait_until(now.steady + rate_span_ns);
    return ticks_per_ns_between(now, read_both());
}

// The kernel watches the TSC and falls back to these when it finds it wrong; other sources (kvm-clock, hyperv,
// xen) are a guest's choice and say nothing against it.
std::string kernel_doubt() {
    std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    std::string source;
    file >> source;
    const bool doubts =
        source == "hpet" || source == "acpi_pm" || source == "jiffies" || source == "refined-jiffies";
    return doubts && counter_source == clock_source::tsc ? source : "";
}

clock_info steady_info(bool invariant, bool synchronous, const std::string& why) {
    return {clock_source::steady, 1.0, invariant, synchronous, why};
}

clock_info choose_clock() {
    const char* wish = detail::environment_value("BOUGH_CLOCK");
    const bool invariant = counter_invariant();
    if (wish != nullptr && std::string(wish) == "steady")
        return steady_info(invariant, true, "BOUGH_CLOCK=steady");
    if (!invariant)
        return steady_info(false, false, std::string(counter_name) + " is not invariant");
    if (const std::string source = kernel_doubt(); !source.empty())
        return steady_info(true, false,
                           std::string("the kernel distrusts the TSC (its clock is ") + source + ")");
    const double stated = stated_ticks_per_ns();
    const double rate = stated > 0 ? stated : measure_ticks_per_ns();
    if (!(rate > 0.0005 && rate < 100))
        return steady_info(true, true, std::string(counter_name) + " runs at an implausible rate");
    return {counter_source, rate, true, true, ""};
}

clock_info& the_clock() {
    static constinit made_once<clock_info> info;
    return info.get([] {
        clock_info chosen = choose_clock();
        use_counter = chosen.source != clock_source::steady;
        return chosen;
    });
}

}  // namespace

const clock_info& clock() {
    return the_clock();
}

void use_steady_clock(const std::string& why) {
    clock_info& info = the_clock();
    if (info.source == clock_source::steady)
        return;
    info = steady_info(info.invariant, false, why);
    use_counter = false;
}

ticks now_serialized() noexcept {
    return use_counter ? read_serialized() : steady_ticks();
}

}  // namespace bough::machine
