#include "report.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

namespace simulate {
namespace {

void say_call(const void* address) {
    Dl_info info{};
    if (dladdr(address, &info) == 0 || info.dli_sname == nullptr) {
        dprintf(STDERR_FILENO, "      %p\n", address);
        return;
    }
    int status = 0;
    char* const plain = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
    dprintf(STDERR_FILENO, "      %s +%ld\n", plain != nullptr ? plain : info.dli_sname,
            static_cast<long>(static_cast<const char*>(address) - static_cast<const char*>(info.dli_saddr)));
    free(plain);
}

}  // namespace

void say_stack(const void* stack_pointer) {
    constexpr unsigned most_calls = 24, words_before_rbp = 6;
    const auto* frame = stack_pointer == nullptr
                            ? static_cast<const uintptr_t*>(__builtin_frame_address(0))
                            : static_cast<const uintptr_t*>(stack_pointer) + words_before_rbp;
    for (unsigned i = 0; i < most_calls && frame != nullptr; ++i) {
        const uintptr_t caller = frame[0], address = frame[1];
        if (address == 0)
            return;
        say_call(reinterpret_cast<const void*>(address));
        if (caller <= reinterpret_cast<uintptr_t>(frame) ||
            caller - reinterpret_cast<uintptr_t>(frame) > 1 << 24)
            return;
        frame = reinterpret_cast<const uintptr_t*>(caller);
    }
}

}  // namespace simulate
