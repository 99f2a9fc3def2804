// Seeded delays at every atomic operation, without a change to what is compiled: code that was compiled with
// -fsanitize=thread calls what is defined here in the place of the sanitizer's runtime. Plain accesses do nothing;
// atomic ones are done, and before or after them the thread now and then pauses, yields or sleeps, so that others come
// in between.
//
// Where delays fall is drawn by each thread from TEST_DELAYS_SEED (default 1) and its number. Most fall on a few sites,
// others after each period: one that is rare everywhere would hardly ever come twice in one narrow window.
// TEST_DELAYS_PER_1000 (default 100): operations at the sites of the moment that are delayed. 0: none.
//
// Nothing here is instrumented, locks or allocates: it is called from signal handlers, and from children of fork().
// Orders are at least the given ones: relaxed is acquire or release, and read-modify-writes are seq_cst. On x86 that is
// what they compile to anyway; a store that is not seq_cst stays one, so that a missing fence is missing here too.

#include <errno.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct settings {
    u64 seed = 1;
    u64 per_1000 = 100;
};

u64 number_from(const char* name, u64 otherwise) {
    const char* const text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The environment is there before the first instrumented code runs: that is __tsan_init's caller.
const settings& chosen() {
    static const settings now = {number_from("TEST_DELAYS_SEED", 1),
                                 number_from("TEST_DELAYS_PER_1000", 100)};
    return now;
}

constexpr u64 scrambled(u64 x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// A thread's dice. A signal handler may draw in between: then a number comes twice, which is no harm.
struct thread_state {
    u64 dice;  // 0: not begun
    u64 operations;
};
constinit thread_local thread_state self = {0, 0};
constinit std::atomic<u64> threads_begun{0};

u64 draw() {
    if (self.dice == 0)
        self.dice = scrambled(chosen().seed + 0x9e3779b97f4a7c15 * (1 + threads_begun.fetch_add(1))) | 1;
    self.dice ^= self.dice << 13;
    self.dice ^= self.dice >> 7;
    self.dice ^= self.dice << 17;
    return self.dice;
}

void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Of 16: ten pauses, five yields, one sleep of 1 us to 1 ms, short ones the most likely.
[[gnu::cold]] void delay(u64 random) {
    const int error = errno;  // the interrupted code's
    const u64 kind = random % 16, amount = random >> 8;
    if (kind < 10) {
        for (u64 k = amount % 256; k > 0; --k)
            pause();
    } else if (kind < 15) {
        sched_yield();
    } else {
        const u64 most_us = u64{1} << (amount % 11);
        timespec left{0, static_cast<long>(1000 * (1 + (amount >> 8) % most_us))};
        nanosleep(&left, nullptr);  // a signal may end it
    }
    errno = error;
}

// Around one operation, at the site that it is called from.
class around {
public:
    explicit around(const void* site) {
        constexpr u64 period = 1 << 14;  // operations of a thread for which sites stay chosen
        constexpr u64 one_site_in = 16;
        constexpr u64 elsewhere = 100;  // times rarer
        if (chosen().per_1000 == 0)
            return;
        const u64 now = self.operations++ / period;
        const u64 where = reinterpret_cast<std::uintptr_t>(site) - reinterpret_cast<std::uintptr_t>(&delay);
        const bool is_chosen =
            scrambled(where ^ (chosen().seed + now) * 0x9e3779b97f4a7c15) % one_site_in == 0;
        random_ = draw();
        if ((random_ >> 32) % (is_chosen ? 1000 : 1000 * elsewhere) >= chosen().per_1000)
            random_ = 0;
        else if (random_ & 128)
            delay(std::exchange(random_, 0));
    }
    ~around() {
        if (random_ != 0)
            delay(random_);
    }
    around(const around&) = delete;
    around& operator=(const around&) = delete;

private:
    u64 random_ = 0;
};

bool is_seq_cst(int order) {
    return order == __ATOMIC_SEQ_CST;
}

}  // namespace

#define AROUND_THIS const around this_operation(__builtin_return_address(0))

extern "C" {

// ---- what is not atomic ----

void __tsan_init() {
    chosen();
}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_read_range(void*, unsigned long) {}
void __tsan_write_range(void*, unsigned long) {}

#define ACCESS(size)                                                                                         \
    void __tsan_read##size(void*) {}                                                                         \
    void __tsan_write##size(void*) {}                                                                        \
    void __tsan_unaligned_read##size(void*) {}                                                               \
    void __tsan_unaligned_write##size(void*) {}
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

// clang's, of functions that it would else inline.
void* __tsan_memcpy(void* to, const void* from, unsigned long n) {
    return __builtin_memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, unsigned long n) {
    return __builtin_memmove(to, from, n);
}
void* __tsan_memset(void* to, int value, unsigned long n) {
    return __builtin_memset(to, value, n);
}

// ---- changes between stacks, which src/machine/stack_linux.cpp tells the sanitizer of ----

void* __tsan_get_current_fiber() {
    return &self;  // not null
}
void* __tsan_create_fiber(unsigned) {
    return &self;
}
void __tsan_destroy_fiber(void*) {}
void __tsan_switch_to_fiber(void*, unsigned) {}

// ---- what is ----

#define READ_MODIFY_WRITE(bits, name, builtin)                                                               \
    u##bits __tsan_atomic##bits##_##name(volatile u##bits* a, u##bits value, int) {                          \
        AROUND_THIS;                                                                                         \
        return builtin(a, value, __ATOMIC_SEQ_CST);                                                          \
    }

#define ATOMIC(bits)                                                                                         \
    u##bits __tsan_atomic##bits##_load(const volatile u##bits* a, int order) {                               \
        AROUND_THIS;                                                                                         \
        return is_seq_cst(order) ? __atomic_load_n(a, __ATOMIC_SEQ_CST)                                      \
                                 : __atomic_load_n(a, __ATOMIC_ACQUIRE);                                     \
    }                                                                                                        \
    void __tsan_atomic##bits##_store(volatile u##bits* a, u##bits value, int order) {                        \
        AROUND_THIS;                                                                                         \
        if (is_seq_cst(order))                                                                               \
            __atomic_store_n(a, value, __ATOMIC_SEQ_CST);                                                    \
        else                                                                                                 \
            __atomic_store_n(a, value, __ATOMIC_RELEASE);                                                    \
    }                                                                                                        \
    READ_MODIFY_WRITE(bits, exchange, __atomic_exchange_n)                                                   \
    READ_MODIFY_WRITE(bits, fetch_add, __atomic_fetch_add)                                                   \
    READ_MODIFY_WRITE(bits, fetch_sub, __atomic_fetch_sub)                                                   \
    READ_MODIFY_WRITE(bits, fetch_and, __atomic_fetch_and)                                                   \
    READ_MODIFY_WRITE(bits, fetch_or, __atomic_fetch_or)                                                     \
    READ_MODIFY_WRITE(bits, fetch_xor, __atomic_fetch_xor)                                                   \
    int __tsan_atomic##bits##_compare_exchange_strong(volatile u##bits* a, u##bits* expected, u##bits value, \
                                                      int, int) {                                            \
        AROUND_THIS;                                                                                         \
        return __atomic_compare_exchange_n(a, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
    }                                                                                                        \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile u##bits* a, u##bits* expected, u##bits value,   \
                                                    int, int) {                                              \
        AROUND_THIS;                                                                                         \
        return __atomic_compare_exchange_n(a, expected, value, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    }                                                                                                        \
    u##bits __tsan_atomic##bits##_compare_exchange_val(volatile u##bits* a, u##bits expected, u##bits value, \
                                                       int, int) {                                           \
        AROUND_THIS;                                                                                         \
        __atomic_compare_exchange_n(a, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);         \
        return expected;                                                                                     \
    }
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_atomic_thread_fence(int order) {
    AROUND_THIS;
    if (is_seq_cst(order))
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    else
        __atomic_thread_fence(__ATOMIC_ACQ_REL);
}
// Between a thread and its signal handlers; no other thread has a part in it.
void __tsan_atomic_signal_fence(int) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

}  // extern "C"
