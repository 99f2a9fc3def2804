// The cold half of the pool, and the way to it; see README.md.

#include "memory/object_pool.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

#include "bough/detail/raise.h"

namespace bough::detail {

namespace {

void* allocate_aligned(std::size_t bytes) {
    return ::operator new(bytes, std::align_val_t{object_pool::step});
}

void free_aligned(void* memory) {
    ::operator delete(memory, std::align_val_t{object_pool::step});
}

}  // namespace

constinit thread_local object_pool* object_pool::current_ BOUGH_FAST_TLS = nullptr;
constinit shared_list<object_pool> object_pool::idle_;

void object_pool::return_object(void* memory, std::size_t size) {
    object* const o = new (memory) object{nullptr, size};
    returned_.push(o, o->next);
}

BOUGH_NOINLINE void* object_pool::refill(std::size_t size) {
    object* const o = find_taken(size);
    return o != nullptr ? o : carve(size);
}

// Sorts what came back only until one of the right size turns up, and a few more for the next calls: no call pays for a
// long list.
object_pool::object* object_pool::find_taken(std::size_t size) {
    if (taken_ == nullptr && !returned_.is_empty())
        taken_ = returned_.take();
    constexpr unsigned ahead = 16;  // what it saves is in README.md
    object* found = nullptr;
    for (unsigned more = ahead; taken_ != nullptr && more != 0;) {
        object* const o = std::exchange(taken_, taken_->next);
        if (found == nullptr && o->size_class == size) {
            found = o;
            continue;
        }
        o->next = free_[o->size_class];
        free_[o->size_class] = o;
        more -= found != nullptr;
    }
    return found;
}

void* object_pool::carve(std::size_t size) {
    const std::size_t bytes = bytes_of(size);
    range& uncut = uncut_[size];
    if (static_cast<std::size_t>(uncut.last - uncut.first) < bytes)
        add_slab(size);
    cut_bytes_ += bytes;
    return std::exchange(uncut.first, uncut.first + bytes);
}

// One line less than what it is aligned to, so that the C library's own words fit between two slabs: else it would
// leave as much unused as it gives. (operator new rounds the size up to the alignment.)
void object_pool::add_slab(std::size_t size) {
    constexpr std::size_t bytes = slab_bytes - step;
    void* memory = nullptr;
    if (posix_memalign(&memory, slab_bytes, bytes) != 0)
        throw std::bad_alloc();
    slabs_ = new (memory) slab{slabs_, this, size};
    char* const first = static_cast<char*>(memory);
    uncut_[size] = {first + step, first + bytes};
}

// ---- owners come and go

// The thread's pool goes when the thread does, after all its thread_local destructors (which may use tasks): they run
// before the destructors of keys. Created without a lock; -1 until then, and for good where no key is left.
namespace {

constinit std::atomic<long> exit_key{-1};

long key_for(void (*at_exit)(void*)) {
    // relaxed: the key is a number, nothing is published with it.
    if (const long known = exit_key.load(std::memory_order_relaxed); known >= 0)
        return known;
    pthread_key_t fresh = 0;
    if (pthread_key_create(&fresh, at_exit) != 0)
        return -1;
    long known = -1;
    if (exit_key.compare_exchange_strong(known, static_cast<long>(fresh), std::memory_order_relaxed))
        return static_cast<long>(fresh);
    pthread_key_delete(fresh);
    return known;
}

}  // namespace

void object_pool::arrange_leaving(object_pool& p) {
    if (const long key = key_for(&leave); key >= 0)
        pthread_setspecific(static_cast<pthread_key_t>(key), &p);
}

void object_pool::leave(void* pool) {
    object_pool& p = *static_cast<object_pool*>(pool);
    current_ = nullptr;
    p.release_if_unused();
    push_idle(&p);
}

// Pushes a list of one or more.
void object_pool::push_idle(object_pool* first) {
    object_pool* last = first;
    while (last->next_idle_ != nullptr)
        last = last->next_idle_;
    idle_.push(first, last->next_idle_);
}

// Takes all and gives the rest back: nobody reads the link of a pool that somebody else may take (no ABA). Who looks in
// between makes a new pool, which is one too many and no harm.
object_pool* object_pool::pop_idle() {
    if (idle_.is_empty())
        return nullptr;
    object_pool* const p = idle_.take();
    if (p != nullptr && p->next_idle_ != nullptr)
        push_idle(std::exchange(p->next_idle_, nullptr));
    return p;
}

BOUGH_COLD object_pool& object_pool::take_over() {
    object_pool* p = pop_idle();
    if (p == nullptr)
        p = new (allocate_aligned(sizeof(object_pool))) object_pool;
    arrange_leaving(*p);
    current_ = p;
    return *p;
}

// Gives the slabs back when every object has come back. Pushes that are still under way belong to objects that are not
// counted yet, so then nothing is given back.
void object_pool::release_if_unused() {
    object* const back = returned_.take();
    for (object* list : {taken_, back})
        while (object* const o = list) {
            list = o->next;
            o->next = free_[o->size_class];
            free_[o->size_class] = o;
        }
    taken_ = nullptr;
    std::size_t free_bytes = 0;
    for (const object* o : free_)
        for (; o != nullptr; o = o->next)
            free_bytes += bytes_of(o->size_class);
    if (free_bytes != cut_bytes_)
        return;
    while (slab* const s = slabs_) {
        slabs_ = s->next;
        std::free(s);
    }
    free_ = {};
    uncut_ = {};
    cut_bytes_ = 0;
}

BOUGH_NOINLINE static pooled allocate_slowly(std::size_t bytes) {
    return or_terminate([bytes]() -> pooled {
        object_pool& mine = object_pool::mine();
        if (bytes > object_pool::largest)
            return {allocate_aligned(bytes), &mine};
        return {mine.allocate(bytes != 0 ? bytes : 1), &mine};
    });
}

pooled allocate_pooled(std::size_t bytes) {
    if (void* const memory = object_pool::allocate_quickly(bytes)) [[likely]]
        return {memory, &object_pool::mine()};
    return allocate_slowly(bytes);
}

void free_pooled(pooled p, std::size_t bytes) noexcept {
    if (bytes > object_pool::largest)
        free_aligned(p.memory);
    else if (object_pool::is_mine(*p.pool))
        p.pool->free_own(p.memory, bytes != 0 ? bytes : 1);
    else
        p.pool->free_foreign(p.memory, bytes != 0 ? bytes : 1);
}

void free_pooled(void* memory) noexcept {
    object_pool::free_by_address(memory);
}

}  // namespace bough::detail
