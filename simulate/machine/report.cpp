#include "report.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frames.h"

namespace simulate {
namespace {

// The address, with which the bench finds file and line, and the function if it is exported. Not the machine's own.
void say_call(const void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_sname == nullptr) {
        dprintf(STDERR_FILENO, "      %p\n", address);
        return;
    }
    int status = 0;
    char* const plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    const char* const name = plain != nullptr ? plain : info.dli_sname;
    if (strncmp(name, "simulate::", 10) != 0)
        dprintf(
            STDERR_FILENO, "      %p %s +%ld\n", address, name,
            static_cast<long>(static_cast<const char*>(address) - static_cast<const char*>(info.dli_saddr)));
    free(plain);
}

}  // namespace

void say_stack(const void* stack_pointer, const char* top) {
    constexpr unsigned words_before_rbp = 6;
    const void* const frame = stack_pointer == nullptr
                                  ? __builtin_frame_address(0)
                                  : static_cast<const uintptr_t*>(stack_pointer) + words_before_rbp;
    unsigned left = 24;
    walk_frames(frame, top, [&](const void* call) {
        say_call(call);
        return --left > 0;
    });
}

}  // namespace simulate
