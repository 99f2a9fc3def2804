// Memory for oneTBB's containers and allocators: from libtbbmalloc where that is at hand, else from the C library.
// tbbmalloc is taken only from where oneTBB would take it: already loaded, or beside the library that holds this code.
// Invariant: one choice for the whole process, made at the first allocation, so that every block goes back where it
// came from. No lock is held while choosing: a fork at that moment leaves nothing locked in the child.

#include <bough/detail/raise.h>

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/tbb_allocator.h>

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

namespace tbb::detail::r1 {
namespace {

// What cache_line_size() says: two lines, since the prefetcher of x86 fetches them in pairs; oneTBB says the same.
constexpr std::size_t line_pair = 128;

struct source {
    void* (*allocate)(std::size_t size);
    void (*free)(void* block);
    void* (*allocate_aligned)(std::size_t size, std::size_t alignment);
    void (*free_aligned)(void* block);
    bool scalable;
};

void* standard_aligned(std::size_t size, std::size_t alignment) {
    const std::size_t whole = (size + alignment - 1) / alignment * alignment;
    return whole < size ? nullptr : std::aligned_alloc(alignment, whole);
}

constexpr source standard{std::malloc, std::free, standard_aligned, std::free, false};

constexpr const char* tbbmalloc_name = "libtbbmalloc.so.2";

// The folder of the library (or program) that holds this code, with a slash at the end; empty when nobody knows it, or
// by a relative path only: the program may have changed its working directory since, to where anybody may write.
std::string own_folder() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr ||
        *info.dli_fname != '/')
        return {};
    const std::string path = info.dli_fname;
    return path.substr(0, path.find_last_of('/') + 1);
}

// A name without a folder would be searched for along the system's paths, where another version may lie: not done.
void* open_tbbmalloc() {
    if (void* loaded = dlopen(tbbmalloc_name, RTLD_NOW | RTLD_NOLOAD); loaded != nullptr)
        return loaded;
    const std::string folder = own_folder();
    return folder.empty() ? nullptr : dlopen((folder + tbbmalloc_name).c_str(), RTLD_NOW | RTLD_GLOBAL);
}

template <typename Function>
bool find(void* library, const char* name, Function& found) {
    found = reinterpret_cast<Function>(dlsym(library, name));
    return found != nullptr;
}

source look_for_source() {
    void* library = open_tbbmalloc();  // stays open: blocks from it live until the end of the process
    if (library == nullptr)
        return standard;
    source s{};
    s.scalable = true;
    const bool complete = find(library, "scalable_malloc", s.allocate) &&
                          find(library, "scalable_free", s.free) &&
                          find(library, "scalable_aligned_malloc", s.allocate_aligned) &&
                          find(library, "scalable_aligned_free", s.free_aligned);
    return complete ? s : standard;
}

std::atomic<const source*> chosen{nullptr};

// Several threads may look at the same time; the first to publish decides for all.
__attribute__((noinline, cold)) const source& choose() {
    const source* const mine = new source(look_for_source());
    const source* first = nullptr;
    // release: pairs with the acquire loads here and in memory_source(); the functions in the table are visible.
    if (chosen.compare_exchange_strong(first, mine, std::memory_order_release, std::memory_order_acquire))
        return *mine;
    delete mine;
    return *first;
}

const source& memory_source() {
    const source* s = chosen.load(std::memory_order_acquire);  // acquire: pairs with the release in choose()
    return s != nullptr ? *s : choose();
}

void* or_throw(void* block) {
    if (block == nullptr)
        bough::detail::raise(std::bad_alloc());
    return block;
}

}  // namespace

void* allocate_memory(std::size_t size) {
    return or_throw(memory_source().allocate(size != 0 ? size : 1));
}

void deallocate_memory(void* p) {
    if (p != nullptr)
        memory_source().free(p);
}

void* cache_aligned_allocate(std::size_t size) {
    return or_throw(memory_source().allocate_aligned(size != 0 ? size : 1, line_pair));
}

void cache_aligned_deallocate(void* p) {
    if (p != nullptr)
        memory_source().free_aligned(p);
}

std::size_t cache_line_size() {
    return line_pair;
}

// The name is the wrong way round, and has to stay: true says that malloc is used (see tbb_allocator::allocator_type).
bool is_tbbmalloc_used() {
    return !memory_source().scalable;
}

}  // namespace tbb::detail::r1
