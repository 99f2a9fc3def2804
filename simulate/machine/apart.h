#pragma once
// Memory of the machine's own, far from the program's heap. What is kept for a trace lies here: else the traced run
// would have its objects elsewhere than the run that it explains. One host thread: no locks.

#include <sys/mman.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

namespace simulate {

class apart {
public:
    static void* allocate(std::size_t bytes) {
        free_block*& first = free_[class_of(bytes)];
        if (first != nullptr) {
            void* const block = first;
            first = first->next;
            return block;
        }
        const std::size_t size = std::size_t{1} << class_of(bytes);
        if (used_ + size > most)
            throw std::bad_alloc();
        void* const block = begin() + used_;
        used_ += size;
        return block;
    }
    static void free(void* block, std::size_t bytes) {
        free_block*& first = free_[class_of(bytes)];
        first = new (block) free_block{first};
    }

private:
    struct free_block {
        free_block* next;
    };
    static constexpr std::size_t most = std::size_t{1}
                                        << 36;  // address space; pages come as they are touched

    static unsigned class_of(std::size_t bytes) {
        constexpr std::size_t least = 16;
        return static_cast<unsigned>(std::bit_width((bytes < least ? least : bytes) - 1));
    }
    // At a fixed place, so that no other mapping moves for its sake.
    static char* begin() {
        static char* const all = [] {
            void* const place = reinterpret_cast<void*>(std::uintptr_t{1} << 44);
            void* const got = mmap(place, most, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
            if (got == MAP_FAILED)
                throw std::bad_alloc();
            return static_cast<char*>(got);
        }();
        return all;
    }

    static inline std::size_t used_ = 0;
    static inline free_block* free_[64] = {};
};

// For the containers of the standard library.
template <class T>
struct apart_allocator {
    using value_type = T;
    apart_allocator() = default;
    template <class U>
    apart_allocator(const apart_allocator<U>&) {}
    T* allocate(std::size_t count) { return static_cast<T*>(apart::allocate(count * sizeof(T))); }
    void deallocate(T* block, std::size_t count) { apart::free(block, count * sizeof(T)); }
    friend bool operator==(apart_allocator, apart_allocator) { return true; }
};

}  // namespace simulate
