// From the start of the process to main(), and from its end to the report. What the tool wants to know comes by
// environment variables, which the program does not see.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include <charconv>
#include <new>

#include "apart.h"
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
bool wants_summary = false;

// The settings of the tool are read before the program's first allocation, and none of them is kept on the heap: how
// long a name is must not move what the program allocates.
constexpr const char prefix[] = "SIMULATE_";

double number(const char* name, double otherwise) {
    const char* const text = getenv(name);
    if (text == nullptr)
        return otherwise;
    double value = 0;
    const char* const end = text + strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc() || stop != end || value < 0)
        refuse("%s=%s: a number is wanted", name, text);
    return value;
}

// What the program sees of its arguments and of its environment, at fixed places: on the process's first stack they
// would share lines by the length of what lies beside them. The program's name, which is a path, comes last.
class visible {
public:
    static constexpr std::size_t most = 4096, most_bytes = 1 << 20;

    char* keep(const char* text) {
        const std::size_t size = strlen(text) + 1;
        if (used_ + size > most_bytes)
            refuse("arguments and environment are longer than %zu bytes", most_bytes);
        char* const copy = static_cast<char*>(memcpy(texts_ + used_, text, size));
        used_ += size;
        return copy;
    }
    // No setenv(): it would allocate by the number of variables.
    void keep_environment(const description& machine) {
        char topology[256];
        snprintf(topology, sizeof topology, "HWLOC_SYNTHETIC=%s", machine.for_hwloc().c_str());
        add_variable(topology);
        add_variable("HWLOC_THISSYSTEM=0");
        for (char** v = environ; *v != nullptr; ++v)
            if (strncmp(*v, prefix, sizeof prefix - 1) != 0 && strncmp(*v, "HWLOC_", 6) != 0)
                add_variable(*v);
        environ = variables_;
    }
    char** keep_arguments(int count, char** given) {
        if (count >= static_cast<int>(most))
            refuse("more than %zu arguments", most - 1);
        for (int i = 1; i < count; ++i)
            arguments_[i] = keep(given[i]);
        if (count > 0)
            arguments_[0] = keep(given[0]);
        return arguments_;
    }

private:
    void add_variable(const char* text) {
        if (count_ == most - 1)
            refuse("more than %zu environment variables", most - 3);
        variables_[count_++] = keep(text);
    }

    alignas(4096) char texts_[most_bytes] = {};
    alignas(4096) char* variables_[most] = {};
    alignas(4096) char* arguments_[most] = {};
    std::size_t used_ = 0, count_ = 0;
};
visible sight;

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
    if (wants_summary)
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
    const double factor = number("SIMULATE_PRICES", 1);
    const char* const file = getenv("SIMULATE_MACHINE");
    if (file == nullptr)
        refuse(
            "SIMULATE_MACHINE is not set: the file of the machine (README.md of simulate/ has all settings)");
    static const description machine = read_description(file, factor);
    wishes wish;
    wish.cores = static_cast<unsigned>(number("SIMULATE_CORES", machine.cores()));
    if (wish.cores < 1 || wish.cores > machine.cores())
        refuse("%u cores: %s has 1 to %u", wish.cores, machine.name.c_str(), machine.cores());
    wish.seed = static_cast<std::uint64_t>(number("SIMULATE_SEED", 1));
    wish.lose_every = static_cast<picoseconds>(number("SIMULATE_LOSE_EVERY_US", 0) * us);
    wish.lose_for = static_cast<picoseconds>(number("SIMULATE_LOSE_FOR_US", 0) * us);
    wish.store_delay = static_cast<picoseconds>(number("SIMULATE_STORE_DELAY_NS", 0) * ns);
    wish.end_at = static_cast<picoseconds>(number("SIMULATE_END_AT_US", 10e6) * us);
    wish.scatter = getenv("SIMULATE_SCATTER") != nullptr;
    wants_summary = getenv("SIMULATE_SUMMARY") != nullptr;
    const char* const trace_file = getenv("SIMULATE_TRACE");
    const auto from = static_cast<picoseconds>(number("SIMULATE_TRACE_FROM_US", 0) * us);
    const auto to = static_cast<picoseconds>(number("SIMULATE_TRACE_TO_US", 10e6) * us);

    sight.keep_environment(machine);
    program.arguments = sight.keep_arguments(count, arguments);
    atexit(report);

    schedule::the = new schedule(machine, wish);
    if (trace_file != nullptr) {
        schedule::the->tracing = new (apart::allocate(sizeof(trace))) trace(trace_file, from, to);
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
