// What LLVM's OpenMP has in assembly, in C++: the virtual machine sees what the compiler has instrumented, and nothing
// else. Linked before OpenMP's library, whose own file then stays out.

#include <x86intrin.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace {

constexpr std::size_t most_arguments = 15;
using microtask = void (*)(int* gtid, int* tid, ...);

template <std::size_t... i>
void call(microtask body, int gtid, int tid, void** of, std::index_sequence<i...>) {
    using typed = void (*)(int*, int*, decltype(static_cast<void*>(of[i]))...);
    reinterpret_cast<typed>(body)(&gtid, &tid, of[i]...);
}

// Calls body with as many arguments as it has been compiled for.
template <std::size_t n = 0>
void call_with(std::size_t arguments, microtask body, int gtid, int tid, void** of) {
    if (n == arguments) {
        call(body, gtid, tid, of, std::make_index_sequence<n>());
    } else if constexpr (n < most_arguments) {
        call_with<n + 1>(arguments, body, gtid, tid, of);
    } else {
        std::fprintf(stderr, "a parallel region shares %zu variables; allowed are %zu\n", arguments,
                     most_arguments);
        std::exit(1);
    }
}

}  // namespace

extern "C" {

using critical_name = std::int32_t[8];
critical_name unnamed_critical asm(".gomp_critical_user_");
void* __kmp_unnamed_critical_addr = &unnamed_critical;

int __kmp_invoke_microtask(microtask body, int gtid, int tid, int arguments, void** of) {
    call_with(static_cast<std::size_t>(arguments), body, gtid, tid, of);
    return 1;
}

std::uint64_t __kmp_hardware_timestamp() {
    return __rdtsc();
}
}
