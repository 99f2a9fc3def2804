// loops shared|empty TIMES: runs one loop ten times as often, then prints what its caller entered in every tenth run.
// count.py reads it.
//   shared: its units take 50 us or so, and help pays: longer loops are always handed off, of shorter ones bough
//           remembers whether that pays
//   empty:  10 units with an empty body, which stay in the caller
// A line holds the address of each function that was entered, in hex, and "-" for each that was left; "cut" ends it if
// not all is recorded.
//
// loops profile: prints a profile of this machine for the others, as hand-offs take longer where each function tells
// when it is entered.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <bough/bough.h>

#include "profile/profile.h"
#include "recorder.h"

namespace {

void print_profile() {
    bough::profile p = bough::default_profile(2);
    p.timespan_ns = {10'000};
    p.handoff_ns = p.steal_ns = 5'000;
    p.spin_us = 1'000;
    std::fputs(bough::to_json({p, bough::machine_identity(), "", "by tests/path/loops.cpp"}).c_str(), stdout);
}

// Returns when a worker is there.
void meet() {
    std::atomic<int> here{0};
    bough::parallel_for(0, 2, [&](int) {
        ++here;
        while (here < 2)
            std::this_thread::yield();
    });
}

thread_local bool is_caller = false;

// A helper's units cost nothing, so that help pays on a busy machine as well.
void run_shared() {
    bough::parallel_for(0, 100, [](int) {
        volatile int last;
        for (int i = is_caller ? 0 : 250; i < 250; ++i)
            last = i;
        static_cast<void>(last);
    });
}

void run_empty() {
    bough::parallel_for(0, 10, [](int) {});
}

void print(const path::trace& t) {
    for (std::size_t i = 0; i < t.count; ++i) {
        if (t.events[i])
            std::printf("%jx ", static_cast<std::uintmax_t>(reinterpret_cast<std::uintptr_t>(t.events[i])));
        else
            std::fputs("- ", stdout);
    }
    std::puts(t.overflowed ? "cut" : "");
}

// All are printed in the end: meanwhile the worker would leave.
void run_and_print(void (*loop)(), unsigned long times) {
    std::vector<path::trace> traces(times);
    meet();
    for (path::trace& t : traces) {
        for (int unrecorded = 9; unrecorded > 0; --unrecorded)
            loop();
        path::record_into(t);
        loop();
        path::stop();
    }
    for (const path::trace& t : traces)
        print(t);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "";
    is_caller = true;
    if (what == "profile" && argc == 2)
        print_profile();
    else if (what == "shared" && argc == 3)
        run_and_print(run_shared, std::strtoul(argv[2], nullptr, 10));
    else if (what == "empty" && argc == 3)
        run_and_print(run_empty, std::strtoul(argv[2], nullptr, 10));
    else
        return 2;
}
