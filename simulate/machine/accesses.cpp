// What the compiler's instrumentation calls: clang's thread sanitizer before each access to memory and in place of each
// atomic operation, its coverage at the beginning of each basic block. All of it runs in one host thread, so the atomic
// operations are plain ones here; what makes them atomic is that no other thread runs.

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "schedule.h"

using simulate::core;
using simulate::here;
using simulate::picoseconds;
using simulate::schedule;
using simulate::store_buffer;

namespace {

// The place in the program that the hook was called from, for traces.
const void* site = nullptr;

picoseconds bring(std::uintptr_t address, bool write) {
    return schedule::the->bring(address, write, site);
}

bool hits(std::uintptr_t address, bool write, bool plain = false) {
    return schedule::the->memory.is_hit(here->number, address, write, plain, here->clock);
}

// A store does not hold its core up, unless too many are under way. What a seed adds to their delay does not count.
void limit_stores() {
    const picoseconds last = here->stores.last_leaves();
    const picoseconds window = schedule::the->machine.price.store_window + schedule::the->wish.store_delay;
    if (last > here->clock + window)
        here->clock = last - window;
}

// A processor goes on behind a load that misses, so misses of several lines in a row overlap, as far as one does not
// depend on the other: half of a later one is taken to be hidden. Which do depend is not known here.
picoseconds when_used(std::uintptr_t address, picoseconds comes) {
    constexpr picoseconds in_a_row =
        50 * simulate::ns;  // some 200 instructions, which a processor keeps in flight
    core::missed_read& last = here->last_read;
    const bool hidden = here->clock < last.came + in_a_row && address / 64 != last.line;
    last = {address / 64, hidden ? here->clock + (comes - here->clock) / 2 : comes};
    return last.came;
}

// A line that was prefetched has a part of its way behind it, and that is all that is hidden.
picoseconds when_read(std::uintptr_t address) {
    const bool was_prefetched = schedule::the->memory.is_coming(here->number, address, false);
    const picoseconds comes = bring(address, false);
    return was_prefetched ? comes : when_used(address, comes);
}

[[gnu::noinline]] void miss(std::uintptr_t address, bool write, const void* from) {
    schedule::sync();
    site = from;
    if (write) {
        here->stores.wait_until(bring(address, true));
        limit_stores();
    } else {
        here->clock = when_read(address);
    }
}

[[gnu::noinline]] void look_into_buffer(const void* address, unsigned bytes) {
    std::uint64_t ignored = 0;
    if (here->stores.look(address, bytes, ignored) != store_buffer::covers::nothing)
        schedule::the->fence();
}

[[gnu::always_inline]] inline void access(const void* address, std::size_t bytes, bool write) {
    if (here == nullptr)
        return;
    if (!here->stores.empty()) [[unlikely]]
        look_into_buffer(address, static_cast<unsigned>(bytes));
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    if (!hits(first, write, true)) [[unlikely]]
        miss(first, write, __builtin_return_address(0));
    constexpr std::uintptr_t line = 64;
    const std::uintptr_t last = first + bytes - 1;
    for (std::uintptr_t next = first / line + 1; next <= last / line; ++next)
        if (!hits(next * line, write, true)) [[unlikely]]
            miss(next * line, write, __builtin_return_address(0));
}

[[gnu::always_inline]] inline void long_access(const void* address, std::size_t bytes, bool write) {
    if (here == nullptr || bytes == 0)
        return;
    constexpr std::size_t bytes_at_once = 32;
    schedule::charge(bytes / bytes_at_once * here->instruction);
    access(address, bytes, write);
}

// ---- atomic operations

// An ordered place in time with the line here. What comes next happens at that time.
void own_for_update(std::uintptr_t address, const void* from) {
    schedule::the->fence();
    ++schedule::the->count.accesses;
    if (!hits(address, true)) {
        site = from;
        here->clock = bring(address, true);
        schedule::charge(schedule::the->machine.price.locked);
        schedule::sync();
    } else {
        schedule::charge(schedule::the->machine.price.locked);
    }
}

// Whether it lies in a frame of the calling thread. The compiler saves registers to its frames without a call of a
// hook: a store that came out of the buffer after its frame has gone would change another function's.
bool is_in_own_frames(std::uintptr_t address) {
    constexpr std::uintptr_t farther_than_frames_with_atomics = 256 << 10;
    return address - reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) <
           farther_than_frames_with_atomics;
}

template <class T>
[[gnu::always_inline]] inline T load(const volatile T* a) {
    if (here == nullptr)
        return *a;
    schedule::sync();
    ++schedule::the->count.accesses;
    if constexpr (sizeof(T) <= 8) {
        if (!here->stores.empty()) {
            std::uint64_t value = 0;
            switch (here->stores.look(const_cast<const T*>(a), sizeof(T), value)) {
            case store_buffer::covers::exactly:
                return static_cast<T>(value);
            case store_buffer::covers::partly:
                schedule::the->fence();
                break;
            case store_buffer::covers::nothing:
                break;
            }
        }
    }
    const auto address = reinterpret_cast<std::uintptr_t>(a);
    if (!hits(address, false)) {
        site = __builtin_return_address(0);
        here->clock = when_read(address);
        schedule::sync();
    }
    return *a;
}

template <class T>
[[gnu::always_inline]] inline T update(volatile T* a, auto&& change) {
    if (here != nullptr)
        own_for_update(reinterpret_cast<std::uintptr_t>(a), __builtin_return_address(0));
    const T before = *a;
    *a = change(before);
    return before;
}

template <class T>
[[gnu::always_inline]] inline void store(volatile T* a, T value, int order) {
    if (here == nullptr) {
        *a = value;
        return;
    }
    if (order == __ATOMIC_SEQ_CST || sizeof(T) > 8) {
        update(a, [value](T) { return value; });
        return;
    }
    schedule::sync();
    ++schedule::the->count.accesses;
    const auto address = reinterpret_cast<std::uintptr_t>(a);
    const bool hit = hits(address, true);
    site = __builtin_return_address(0);
    if (hit && here->stores.empty() && here->stores.last_leaves() <= here->clock &&
        schedule::the->wish.store_delay == 0) {
        *a = value;
        return;
    }
    const picoseconds end = hit ? here->clock : bring(address, true);
    if (is_in_own_frames(address)) {
        here->stores.drain();
        here->stores.wait_until(end);
        *a = value;
        return;
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T) <= 8 ? sizeof(T) : 8);
    schedule::the->store_later(const_cast<T*>(a), sizeof(T), bits, end);
    limit_stores();
}

// A compare-and-swap that fails has taken the line as well.
template <class T>
[[gnu::always_inline]] inline bool compare_exchange(volatile T* a, T* expected, T desired) {
    if (here != nullptr)
        own_for_update(reinterpret_cast<std::uintptr_t>(a), __builtin_return_address(0));
    const T before = *a;
    if (before == *expected) {
        *a = desired;
        return true;
    }
    *expected = before;
    return false;
}

}  // namespace

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
void* __tsan_get_current_fiber() {
    return nullptr;
}
void* __tsan_create_fiber(unsigned) {
    return nullptr;
}
void __tsan_destroy_fiber(void*) {}
void __tsan_switch_to_fiber(void*, unsigned) {}
void __tsan_acquire(void*) {}
void __tsan_release(void*) {}

void __tsan_vptr_update(void** at, void*) {
    access(at, sizeof(void*), true);
}
void __tsan_vptr_read(void** at) {
    access(at, sizeof(void*), false);
}
void __tsan_read_range(void* a, unsigned long bytes) {
    long_access(a, bytes, false);
}
void __tsan_write_range(void* a, unsigned long bytes) {
    long_access(a, bytes, true);
}

void* __tsan_memcpy(void* to, const void* from, unsigned long bytes) {
    long_access(from, bytes, false);
    long_access(to, bytes, true);
    return memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, unsigned long bytes) {
    long_access(from, bytes, false);
    long_access(to, bytes, true);
    return memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, unsigned long bytes) {
    long_access(to, bytes, true);
    return memset(to, value, bytes);
}

#define SIMULATE_ACCESS(name, bytes, write)                                                                  \
    void __tsan_##name##bytes(void* a) {                                                                     \
        access(a, bytes, write);                                                                             \
    }
#define SIMULATE_ACCESSES(bytes)                                                                             \
    SIMULATE_ACCESS(read, bytes, false)                                                                      \
    SIMULATE_ACCESS(write, bytes, true)                                                                      \
    SIMULATE_ACCESS(unaligned_read, bytes, false)                                                            \
    SIMULATE_ACCESS(unaligned_write, bytes, true)                                                            \
    SIMULATE_ACCESS(read_write, bytes, true)                                                                 \
    SIMULATE_ACCESS(unaligned_read_write, bytes, true)                                                       \
    SIMULATE_ACCESS(volatile_read, bytes, false)                                                             \
    SIMULATE_ACCESS(volatile_write, bytes, true)
SIMULATE_ACCESSES(1)
SIMULATE_ACCESSES(2)
SIMULATE_ACCESSES(4)
SIMULATE_ACCESSES(8)
SIMULATE_ACCESSES(16)

using simulate_8 = unsigned char;
using simulate_16 = unsigned short;
using simulate_32 = unsigned;
using simulate_64 = unsigned long;
using simulate_128 = unsigned __int128;

#define SIMULATE_UPDATE(bits, name, expression)                                                              \
    simulate_##bits __tsan_atomic##bits##_##name(volatile simulate_##bits* a, simulate_##bits value, int) {  \
        return update(                                                                                       \
            a, [value](simulate_##bits before) -> simulate_##bits {                                          \
                (void)before;                                                                                \
                return static_cast<simulate_##bits>(expression);                                             \
            });                                                                                              \
    }
#define SIMULATE_ATOMIC(bits)                                                                                \
    simulate_##bits __tsan_atomic##bits##_load(const volatile simulate_##bits* a, int) {                     \
        return load(a);                                                                                      \
    }                                                                                                        \
    void __tsan_atomic##bits##_store(volatile simulate_##bits* a, simulate_##bits value, int order) {        \
        store(a, value, order);                                                                              \
    }                                                                                                        \
    SIMULATE_UPDATE(bits, exchange, value)                                                                   \
    SIMULATE_UPDATE(bits, fetch_add, before + value)                                                         \
    SIMULATE_UPDATE(bits, fetch_sub, before - value)                                                         \
    SIMULATE_UPDATE(bits, fetch_and, before& value)                                                          \
    SIMULATE_UPDATE(bits, fetch_or, before | value)                                                          \
    SIMULATE_UPDATE(bits, fetch_xor, before ^ value)                                                         \
    SIMULATE_UPDATE(bits, fetch_nand, ~(before & value))                                                     \
    int __tsan_atomic##bits##_compare_exchange_strong(                                                       \
        volatile simulate_##bits* a, simulate_##bits* expected, simulate_##bits desired, int, int) {         \
        return compare_exchange(a, expected, desired);                                                       \
    }                                                                                                        \
    int __tsan_atomic##bits##_compare_exchange_weak(volatile simulate_##bits* a, simulate_##bits* expected,  \
                                                    simulate_##bits desired, int, int) {                     \
        return compare_exchange(a, expected, desired);                                                       \
    }                                                                                                        \
    simulate_##bits __tsan_atomic##bits##_compare_exchange_val(                                              \
        volatile simulate_##bits* a, simulate_##bits expected, simulate_##bits desired, int, int) {          \
        compare_exchange(a, &expected, desired);                                                             \
        return expected;                                                                                     \
    }
SIMULATE_ATOMIC(8)
SIMULATE_ATOMIC(16)
SIMULATE_ATOMIC(32)
SIMULATE_ATOMIC(64)
SIMULATE_ATOMIC(128)

void __tsan_atomic_thread_fence(int order) {
    if (here != nullptr && order == __ATOMIC_SEQ_CST)
        schedule::the->full_fence();
}
void __tsan_atomic_signal_fence(int) {}

// The guard of a block holds the number of its instructions: prices.py writes it into the program.
void __sanitizer_cov_trace_pc_guard_init(unsigned*, unsigned*) {}
void __sanitizer_cov_trace_pc_guard(unsigned* guard) {
    if (here != nullptr)
        schedule::compute(*guard * here->instruction);
}

}  // extern "C"
