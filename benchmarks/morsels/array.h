#pragma once
// An array whose first element begins on a cache line, as a morsel_partitioner takes its data to do.

#include <cstddef>
#include <new>
#include <vector>

namespace bench::morsels {

template <class T>
struct line_allocator {
    using value_type = T;
    static constexpr std::align_val_t line{128};  // two lines: prefetchers fetch pairs

    line_allocator() = default;
    template <class U>
    explicit line_allocator(const line_allocator<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    bool operator==(const line_allocator&) const { return true; }
};

template <class T>
using array = std::vector<T, line_allocator<T>>;

}  // namespace bench::morsels
