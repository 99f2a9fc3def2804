// x86-64 only: the stack's change is in assembly, and the thread-local block is named by the fs register.

#include "fiber.h"

#include <asm/prctl.h>
#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "real.h"
#include "refuse.h"

extern "C" {
// Saves what a call keeps, and the stack pointer in *save; goes on at `to` with the thread-local block `block`.
// by_register: whether the kernel lets programs write fs (FSGSBASE); else it is asked to.
void simulate_change(void** save, void* to, unsigned long block, int by_register);
void simulate_begin();
}

asm(R"(
.text
.globl simulate_change
.hidden simulate_change
.type simulate_change, @function
simulate_change:
    .cfi_startproc
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    testl %ecx, %ecx
    jz 1f
    wrfsbase %rdx
    jmp 2f
1:  movl $158, %eax          # arch_prctl(ARCH_SET_FS, block)
    movl $0x1002, %edi
    movq %rdx, %rsi
    syscall
2:  ldmxcsr (%rsp)
    fldcw 4(%rsp)
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
.size simulate_change, .-simulate_change

.globl simulate_begin
.hidden simulate_begin
.type simulate_begin, @function
simulate_begin:
    .cfi_startproc
    .cfi_undefined rip
    movq %r12, %rdi
    xorl %ebp, %ebp
    callq *%rbx
    ud2
    .cfi_endproc
.size simulate_begin, .-simulate_begin
)");

namespace simulate {
namespace {

bool writes_fs() {
    constexpr unsigned long fsgsbase = 2;  // HWCAP2_FSGSBASE
    static const bool can = (getauxval(AT_HWCAP2) & fsgsbase) != 0;
    return can;
}

unsigned long this_thread_block() {
    unsigned long block = 0;
    asm("movq %%fs:0, %0" : "=r"(block));  // the block's first word is its own address
    return block;
}

void wait_until_set(int& word) {
    while (__atomic_load_n(&word, __ATOMIC_ACQUIRE) == 0)
        real::syscall(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
}
void set(int& word) {
    __atomic_store_n(&word, 1, __ATOMIC_RELEASE);
    real::syscall(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

}  // namespace

// What simulate_change() takes from the stack at the first change.
void fiber::prepare(char* top, void (*run)(void*), void* data) {
    auto* word =
        reinterpret_cast<std::uintptr_t*>(reinterpret_cast<std::uintptr_t>(top) & ~std::uintptr_t{63});
    *--word = 0;  // simulate_begin() calls with an aligned stack
    *--word = 0;
    *--word = reinterpret_cast<std::uintptr_t>(simulate_begin);
    *--word = 0;                                       // rbp
    *--word = reinterpret_cast<std::uintptr_t>(run);   // rbx
    *--word = reinterpret_cast<std::uintptr_t>(data);  // r12
    *--word = 0;
    *--word = 0;
    *--word = 0;
    unsigned mxcsr = 0;
    std::uint16_t control = 0;
    asm("stmxcsr %0; fnstcw %1" : "=m"(mxcsr), "=m"(control));
    *--word = mxcsr | std::uintptr_t{control} << 32;
    stack_pointer_ = word;
}

fiber::fiber(std::size_t stack_bytes, void (*run)(void*), void* data) : bytes_(stack_bytes) {
    lowest_ =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (lowest_ == MAP_FAILED)
        refuse("no memory for the main thread's stack");
    handle_ = pthread_self();
    thread_block_ = this_thread_block();
    top_ = static_cast<char*>(lowest_) + bytes_;
    prepare(top_, run, data);
}

fiber::fiber(const pthread_attr_t* attributes, void (*run)(void*), void* data) {
    error_ = real::pthread_create(&handle_, attributes, park, this);
    if (error_ != 0)
        return;
    has_thread_ = true;
    wait_until_set(parked_);
    prepare(top_, run, data);
}

void* fiber::park(void* self) {
    auto* mine = static_cast<fiber*>(self);
    // The thread waits in frames below this one; the fiber runs below those.
    constexpr std::size_t frames_of_the_wait = 8192;
    mine->top_ = static_cast<char*>(__builtin_frame_address(0)) - frames_of_the_wait;
    mine->thread_block_ = this_thread_block();
    set(mine->parked_);
    wait_until_set(mine->released_);
    return nullptr;
}

fiber::~fiber() {
    if (!has_thread_)
        return;
    set(released_);
    real::pthread_join(handle_, nullptr);
}

void fiber::change(fiber& from, fiber& to) {
    simulate_change(&from.stack_pointer_, to.stack_pointer_, to.thread_block_, writes_fs() ? 1 : 0);
}

}  // namespace simulate
