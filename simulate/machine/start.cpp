// From the start of the process to main(), and from its end to the report. What the tool wants to know comes by
// environment variables, which the program does not see.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include <charconv>
#include <string>

#include "real.h"
#include "refuse.h"
#include "schedule.h"
#include "system.h"
#include "thread_end.h"

namespace simulate {
namespace {

struct {
    int (*main)(int, char**, char**);
    int count;
    char** arguments;
} program;

double number(const char* name, double otherwise) {
    const char* const text = getenv(name);
    if (text == nullptr)
        return otherwise;
    double value = 0;
    const char* const end = text + strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end || value < 0)
        refuse("%s=%s: a number is wanted", name, text);
    unsetenv(name);
    return value;
}

std::string text(const char* name) {
    const char* const found = getenv(name);
    if (found == nullptr)
        refuse("%s is not set; run this program with ./dev simulate", name);
    std::string result = found;
    unsetenv(name);
    return result;
}

// Else lines would lie elsewhere in each run, and share differently.
void fix_addresses(char** arguments) {
    const int before = personality(0xffffffff);
    if (before >= 0 && (before & ADDR_NO_RANDOMIZE) != 0)
        return;
    if (before < 0 || personality(static_cast<unsigned long>(before) | ADDR_NO_RANDOMIZE) < 0) {
        dprintf(STDERR_FILENO,
                "simulate: the system does not let addresses be fixed: runs are not repeatable\n");
        return;
    }
    execv("/proc/self/exe", arguments);
    refuse("cannot start again with fixed addresses: %s", strerror(errno));
}

void report() {
    if (here == nullptr)
        return;
    schedule& s = *schedule::the;
    if (getenv("SIMULATE_SUMMARY") != nullptr)
        dprintf(STDERR_FILENO,
                "simulate: %.3f us, %llu accesses, %llu changes, %llu wake-ups, %llu slices taken, %llu "
                "cores lost\n",
                static_cast<double>(here->clock) / us, static_cast<unsigned long long>(s.count.accesses),
                static_cast<unsigned long long>(s.count.changes),
                static_cast<unsigned long long>(s.count.wakes),
                static_cast<unsigned long long>(s.count.preempted),
                static_cast<unsigned long long>(s.count.lost));
    s.write_trace();
}

void run_main(void*) {
    const int status = program.main(program.count, program.arguments, environ);
    end_thread(schedule::the->current());
    exit(status);
}

int begin(int count, char** arguments, char**) {
    program.count = count;
    program.arguments = arguments;
    const double factor = number("SIMULATE_PRICES", 1);
    static const description machine = read_description(text("SIMULATE_MACHINE"), factor);
    wishes wish;
    wish.cores = static_cast<unsigned>(number("SIMULATE_CORES", machine.cores()));
    if (wish.cores < 1 || wish.cores > machine.cores())
        refuse("%u cores: %s has 1 to %u", wish.cores, machine.name.c_str(), machine.cores());
    wish.seed = static_cast<std::uint64_t>(number("SIMULATE_SEED", 1));
    wish.lose_every = static_cast<picoseconds>(number("SIMULATE_LOSE_EVERY_US", 0) * us);
    wish.lose_for = static_cast<picoseconds>(number("SIMULATE_LOSE_FOR_US", 0) * us);
    wish.store_delay = static_cast<picoseconds>(number("SIMULATE_STORE_DELAY_NS", 0) * ns);
    wish.end_at = static_cast<picoseconds>(number("SIMULATE_END_AT_US", 10e6) * us);
    setenv("HWLOC_SYNTHETIC", machine.for_hwloc().c_str(), 1);
    setenv("HWLOC_THISSYSTEM", "0", 1);
    atexit(report);

    const char* const trace_file = getenv("SIMULATE_TRACE");
    const auto from = static_cast<picoseconds>(number("SIMULATE_TRACE_FROM_US", 0) * us);
    const auto to = static_cast<picoseconds>(number("SIMULATE_TRACE_TO_US", 10e6) * us);

    schedule::the = new schedule(machine, wish);
    if (trace_file != nullptr) {
        schedule::the->tracing = std::make_unique<trace>(text("SIMULATE_TRACE"), from, to);
        trace_allocations();
    }
    constexpr std::size_t stack_bytes = 8 << 20;
    thread& main = schedule::the->start_main(stack_bytes, run_main);
    take_over_early_thread(main);
    static fiber host(4096, nullptr, nullptr);
    fiber::change(host, *main.body);
    __builtin_unreachable();
}

}  // namespace
}  // namespace simulate

extern "C" int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments,
                                 int (*init)(int, char**, char**), void (*fini)(), void (*rtld_fini)(),
                                 void* stack_end) {
    using start = int(int (*)(int, char**, char**), int, char**, int (*)(int, char**, char**), void (*)(),
                      void (*)(), void*);
    simulate::fix_addresses(arguments);
    simulate::program.main = main;
    return simulate::real::find<start>("__libc_start_main")(simulate::begin, count, arguments, init, fini,
                                                            rtld_fini, stack_end);
}
