// What stands in the place of single instructions (compile.sh). They keep every register that the instruction keeps:
// the compiler does not know that there is a call.

#include <cstdint>

#include "schedule.h"

using simulate::here;
using simulate::schedule;

extern "C" {

[[gnu::visibility("hidden")]] void simulate_do_pause() {
    if (here == nullptr)
        return;
    schedule::compute(schedule::the->machine.price.pause);
    schedule::sync();
}

[[gnu::visibility("hidden")]] std::uint64_t simulate_do_ticks() {
    if (here == nullptr)
        return 0;
    schedule::charge(schedule::the->machine.price.clock_read);
    return static_cast<std::uint64_t>(static_cast<double>(here->clock) / simulate::ns *
                                      schedule::the->machine.ticks_per_ns);
}

[[gnu::visibility("hidden")]] void simulate_do_fence() {
    if (here != nullptr)
        schedule::the->full_fence();
}

[[gnu::visibility("hidden")]] void simulate_do_prefetchw(std::uintptr_t address) {
    if (here == nullptr || schedule::the->memory.is_hit(here->number, address, true, true, here->clock))
        return;
    schedule::sync();
    here->stores.wait_until(schedule::the->bring(address, true, __builtin_return_address(0)));
}
// The line comes while the core goes on. A load that is too early waits for what is left of the way.
[[gnu::visibility("hidden")]] void simulate_do_prefetch(std::uintptr_t address) {
    if (here == nullptr || schedule::the->memory.is_hit(here->number, address, false, true, here->clock))
        return;
    schedule::sync();
    schedule::the->bring(address, false, __builtin_return_address(0));
}

// An x86-64 processor without extensions whose counter is invariant, so that runs do not depend on the host's.
struct leaf {
    std::uint32_t a, b, c, d;
};
[[gnu::visibility("hidden")]] void simulate_do_cpuid(std::uint32_t number, leaf* result) {
    constexpr std::uint32_t most = 1, most_extended = 0x80000007, sse2 = 1u << 26, fxsr = 1u << 24,
                            invariant = 1u << 8;
    switch (number) {
    case 0:
        *result = {most, 0x756c6973, 0x20, 0x6574616d};
        return;  // the maker's name
    case 1:
        *result = {0x00000f10, 0, 0, sse2 | fxsr};
        return;
    case 0x80000000:
        *result = {most_extended, 0, 0, 0};
        return;
    case 0x80000002:
        *result = {0x756d6973, 0x6574616c, 0x00000064, 0};
        return;
    case most_extended:
        *result = {0, 0, 0, invariant};
        return;
    default:
        *result = {0, 0, 0, 0};
    }
}

}  // extern "C"

// All registers that a call may change, the flags and the vectors, on an aligned stack; rbp keeps the old one.
asm(R"(
.macro keep_all
    pushfq
    pushq %rbp
    movq %rsp, %rbp
    pushq %rax
    pushq %rcx
    pushq %rdx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    subq $528, %rsp
    andq $-64, %rsp
    fxsave64 (%rsp)
.endm
.macro give_back
    fxrstor64 (%rsp)
    leaq -72(%rbp), %rsp
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rdx
    popq %rcx
    popq %rax
    popq %rbp
    popfq
    ret
.endm
.macro begin_function name
.globl \name
.type \name, @function
\name:
    keep_all
    cld
.endm
# The counter in rax, as the instruction leaves it: half in eax, half in edx.
.macro return_ticks
    movl %eax, -8(%rbp)
    movl $0, -4(%rbp)
    shrq $32, %rax
    movq %rax, -24(%rbp)
    give_back
.endm

begin_function simulate_pause
    call simulate_do_pause
    give_back
begin_function simulate_mfence
    call simulate_do_fence
    give_back
begin_function simulate_prefetchw
    call simulate_do_prefetchw
    give_back
begin_function simulate_prefetch
    call simulate_do_prefetch
    give_back
begin_function simulate_rdtsc
    call simulate_do_ticks
    return_ticks
begin_function simulate_rdtscp
    call simulate_do_ticks
    movq $0, -16(%rbp)
    return_ticks
begin_function simulate_cpuid
    movl %eax, %edi
    leaq 512(%rsp), %rsi
    call simulate_do_cpuid
    movl 512(%rsp), %eax
    movq %rax, -8(%rbp)
    movl 516(%rsp), %ebx
    movl 520(%rsp), %eax
    movq %rax, -16(%rbp)
    movl 524(%rsp), %eax
    movq %rax, -24(%rbp)
    give_back
)");
