#pragma once
// A pool of small objects (tasks, mostly) for one thread at a time: README.md has the protocol. Only the owner
// calls allocate() and free_own(); any thread calls free_foreign(). Invariant: an object is in the program's hands, or
// in exactly one of the lists free_, taken_ (the owner's) and returned_ (everybody's).

#include <array>
#include <cstddef>
#include <cstdint>

#include "bough/config.h"
#include "bough/detail/task_memory.h"
#include "memory/shared_list.h"

namespace bough::detail {

class object_pool {
public:
    // Sizes go in steps of what a task of oneTBB's must be aligned to, up to what few tasks of its headers exceed.
    static constexpr std::size_t step = cache_line;
    static constexpr std::size_t largest = 512;

    // The pool of the calling thread; the first call of a thread takes over an idle pool or makes one. Throws
    // bad_alloc.
    static object_pool& mine() {
        object_pool* p = current_;
        return p != nullptr ? *p : take_over();
    }
    static bool is_mine(const object_pool& p) { return &p == current_; }

    // bytes is 1 to largest, here and below.
    void* allocate(std::size_t bytes) {
        const std::size_t size = size_class(bytes);
        object* o = free_[size];
        if (o == nullptr)
            return refill(size);
        free_[size] = o->next;
        return o;
    }

    // From what the calling thread's pool has at hand; null: nothing of that size, or no pool. Calls nothing.
    static void* allocate_quickly(std::size_t bytes) {
        object_pool* const p = current_;
        if (p == nullptr || bytes - 1 >= largest) [[unlikely]]
            return nullptr;
        object*& first = p->free_[size_class(bytes)];
        object* const o = first;
        if (o != nullptr)
            first = o->next;
        return o;
    }

    void free_own(void* memory, std::size_t bytes) {
        const std::size_t size = size_class(bytes);
        free_[size] = new (memory) object{free_[size], size};
    }

    void free_foreign(void* memory, std::size_t bytes) { return_object(memory, size_class(bytes)); }

    // Any thread; the object's slab says whose it is, and of which size.
    static void free_by_address(void* memory) {
        const slab& its = slab_of(memory);
        object_pool& p = *its.pool;
        if (!is_mine(p))
            return p.return_object(memory, its.size_class);
        object*& first = p.free_[its.size_class];
        first = new (memory) object{first, its.size_class};
    }

private:
    struct object {  // in the memory of an object that nobody uses
        object* next;
        std::size_t size_class;
    };
    // Of objects of one size. Aligned to slab_bytes, so that an object's address says where its slab begins.
    struct slab {
        slab* next;
        object_pool* pool;
        std::size_t size_class;
    };
    static constexpr std::size_t slab_bytes = std::size_t{16} << 10;
    static constexpr std::size_t classes = largest / step;
    static_assert(sizeof(slab) <= step && step == cache_line, "the first object lies at an odd line");

    struct range {
        char* first = nullptr;
        char* last = nullptr;
    };

    object_pool() = default;

    static constexpr std::size_t size_class(std::size_t bytes) { return (bytes - 1) / step; }
    static constexpr std::size_t bytes_of(std::size_t size_class) { return (size_class + 1) * step; }

    static object_pool& take_over();
    static object_pool* pop_idle();
    static void push_idle(object_pool* first);
    static void leave(void* pool);
    static void arrange_leaving(object_pool& p);

    static slab& slab_of(void* memory) {
        return *reinterpret_cast<slab*>(reinterpret_cast<std::uintptr_t>(memory) & ~(slab_bytes - 1));
    }

    void return_object(void* memory, std::size_t size);
    void* refill(std::size_t size);
    object* find_taken(std::size_t size);
    void* carve(std::size_t size);
    void add_slab(std::size_t size);
    void release_if_unused();

    static constinit thread_local object_pool* current_ BOUGH_FAST_TLS;
    static constinit shared_list<object_pool> idle_;

    // The owner's: lines that nobody else touches.
    alignas(step) std::array<object*, classes> free_{};
    object* taken_ = nullptr;  // came back from others, not yet sorted into free_
    slab* slabs_ = nullptr;
    std::size_t cut_bytes_ = 0;  // in all objects that were ever carved from these slabs
    object_pool* next_idle_ = nullptr;
    std::array<range, classes> uncut_{};  // the rest of each size's newest slab

    // Everybody's.
    alignas(step) shared_list<object> returned_;
};

}  // namespace bough::detail
