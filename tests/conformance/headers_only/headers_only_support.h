// What the headers-only tests share: an exception of their own, a meter of concurrency, a gate, a counter of live
// objects, an allocator that fails on demand. Nothing here depends on time.

#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace headers_only {

struct test_error : std::runtime_error {
    explicit test_error(int code) : std::runtime_error("test_error"), code_(code) {}
    int code_;
};

// How many threads are between enter() and leave(), and the most that ever were.
class meter {
public:
    void enter() {
        const int now = ++running_;
        int peak = peak_;
        while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
        }
        ++entries_;
    }
    void leave() { --running_; }
    int peak() const { return peak_; }
    int entries() const { return entries_; }

private:
    std::atomic<int> running_{0};
    std::atomic<int> peak_{0};
    std::atomic<int> entries_{0};
};

class metered {
public:
    explicit metered(meter& m) : meter_(m) { meter_.enter(); }
    ~metered() { meter_.leave(); }
    metered(const metered&) = delete;
    metered& operator=(const metered&) = delete;

private:
    meter& meter_;
};

// Closed until somebody opens it. Who waits gives the CPU away: one CPU is enough.
class gate {
public:
    void open() { open_ = true; }
    bool is_open() const { return open_; }
    void wait() const {
        while (!open_)
            std::this_thread::yield();
    }

private:
    std::atomic<bool> open_{false};
};

// Counts the objects that exist: zero at the end, or something was lost or destroyed twice.
template <class Tag>
class tracked {
public:
    tracked() { ++live_; }
    explicit tracked(int value) : value_(value) { ++live_; }
    tracked(const tracked& other) : value_(other.value_) { ++live_; }
    tracked(tracked&& other) noexcept : value_(other.value_) { ++live_; }
    tracked& operator=(const tracked&) = default;
    ~tracked() { --live_; }
    int value() const { return value_; }
    static int live() { return live_; }

private:
    int value_ = 0;
    static inline std::atomic<int> live_{0};
};

// Allocates until it is told to fail.
inline std::atomic<bool> allocation_fails{false};

template <class T>
struct failing_allocator {
    using value_type = T;
    failing_allocator() = default;
    template <class U>
    failing_allocator(const failing_allocator<U>&) {}
    T* allocate(std::size_t n) {
        if (allocation_fails)
            throw std::bad_alloc();
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* p, std::size_t n) { std::allocator<T>().deallocate(p, n); }
    template <class U>
    friend bool operator==(const failing_allocator&, const failing_allocator<U>&) {
        return true;
    }
    template <class U>
    friend bool operator!=(const failing_allocator&, const failing_allocator<U>&) {
        return false;
    }
};

struct failing_allocations {
    failing_allocations() { allocation_fails = true; }
    ~failing_allocations() { allocation_fails = false; }
};

inline std::vector<int> first_numbers(int n) {
    std::vector<int> numbers(static_cast<std::size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

inline int sum_below(int n) {
    return n * (n - 1) / 2;
}

}  // namespace headers_only
