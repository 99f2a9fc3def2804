#include "stress/mix/watchdog.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace mix {

void watchdog::look() {
    const std::uint64_t number = thread_.number.load();
    const auto now = std::chrono::steady_clock::now();
    if (number != last_ || thread_.has_ended.load()) {
        last_ = number;
        since_ = now;
    } else if (now - since_ > patience_) {
        bark();
    }
}

void watchdog::bark() const {
    std::printf("bough-stress: STANDS for %lld s: seed %llu, thread %u, operation %llu, in %s\n",
                static_cast<long long>(patience_.count()), static_cast<unsigned long long>(thread_.seed),
                thread_.thread, static_cast<unsigned long long>(thread_.number.load()), thread_.doing.load());
    std::fflush(stdout);
    // A debugger where there is one, else what the kernel knows.
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
    const std::string id = std::to_string(getpid());
    const std::string look = "gdb -p " + id + " -batch -ex 'thread apply all bt 40' 2>/dev/null || " +
                             "for t in /proc/" + id + "/task/*; do echo $t $(cat $t/comm $t/wchan); done";
    if (std::system(look.c_str()) != 0)
        std::puts("bough-stress: no stacks can be shown");
    std::abort();
}

}  // namespace mix
