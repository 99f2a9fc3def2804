// Allocators and interleaved memory through oneTBB's public headers: alignment, zeros, failure.

#define TBB_PREVIEW_NUMA_ALLOCATION 1

#include <gtest/gtest.h>

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/numa_allocation.h>
#include <oneapi/tbb/tbb_allocator.h>

#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <vector>

namespace {

namespace r1 = tbb::detail::r1;

constexpr std::size_t more_than_there_is = std::numeric_limits<std::size_t>::max();

bool is_aligned(const void* p, std::size_t to) {
    return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

// ---- allocators

TEST(allocators, give_memory_of_every_size) {
    for (const std::size_t size : {0, 1, 7, 8, 63, 64, 65, 127, 128, 129, 4096, 100000, 10000000}) {
        auto* plain = static_cast<char*>(r1::allocate_memory(size));
        auto* aligned = static_cast<char*>(r1::cache_aligned_allocate(size));
        ASSERT_NE(plain, nullptr);
        ASSERT_NE(aligned, nullptr);
        EXPECT_TRUE(is_aligned(plain, size >= 16 ? 16 : 8)) << size;
        EXPECT_TRUE(is_aligned(aligned, r1::cache_line_size())) << size;
        std::memset(plain, 1, size);
        std::memset(aligned, 2, size);
        r1::deallocate_memory(plain);
        r1::cache_aligned_deallocate(aligned);
    }
}

TEST(allocators, throw_bad_alloc) {
    for (const std::size_t size :
         {more_than_there_is, more_than_there_is - 1, more_than_there_is - 200, more_than_there_is / 2}) {
        EXPECT_THROW(r1::allocate_memory(size), std::bad_alloc) << size;
        EXPECT_THROW(r1::cache_aligned_allocate(size), std::bad_alloc) << size;
    }
    EXPECT_THROW((void)tbb::tbb_allocator<char>().allocate(more_than_there_is / 2), std::bad_alloc);
}

TEST(allocators, free_nothing) {
    r1::deallocate_memory(nullptr);
    r1::cache_aligned_deallocate(nullptr);
}

using msize = std::size_t (*)(void*);

// Whether this block is one of tbbmalloc's; it must be loaded.
bool is_scalable(void* block, std::size_t size) {
    const auto size_of =
        reinterpret_cast<msize>(dlsym(dlopen("libtbbmalloc.so.2", RTLD_NOW | RTLD_NOLOAD), "scalable_msize"));
    return size_of(block) >= size;
}

// Whether a second libtbb beside the tested code allocates through it before main(), and so decides too early.
bool second_libtbb() {
    Dl_info info{};
    dladdr(dlsym(RTLD_DEFAULT, "_ZN3tbb6detail2r115allocate_memoryEm"), &info);
    return dlopen("libtbb.so.12", RTLD_NOW | RTLD_NOLOAD) != nullptr &&
           std::string(info.dli_fname).find("libtbb.so") == std::string::npos;
}

// In a new process, where nothing has been allocated: tbbmalloc must be taken if it is on the library path.
TEST(allocators_death_test, take_tbbmalloc_when_it_is_loaded) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (second_libtbb())
        GTEST_SKIP() << "the tested code is linked into this program, beside libtbb.so.12";
    const auto check = [] {
        if (dlopen("libtbbmalloc.so.2", RTLD_NOW) == nullptr)
            return true;
        using tbb::tbb_allocator;
        void* const plain = r1::allocate_memory(1000);
        void* const aligned = r1::cache_aligned_allocate(1000);
        const bool good = tbb_allocator<int>::allocator_type() == tbb_allocator<int>::scalable &&
                          is_scalable(plain, 1000) && is_scalable(aligned, 1000);
        r1::deallocate_memory(plain);
        r1::cache_aligned_deallocate(aligned);
        return good;
    };
    EXPECT_EXIT(std::exit(check() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(allocators, say_which_they_are) {
    void* const block = r1::allocate_memory(1000);
    if (tbb::tbb_allocator<int>::allocator_type() == tbb::tbb_allocator<int>::scalable)
        EXPECT_TRUE(is_scalable(block, 1000));
    else
        EXPECT_GE(malloc_usable_size(block), 1000u);
    r1::deallocate_memory(block);
}

TEST(allocators, serve_containers) {
    std::vector<int, tbb::tbb_allocator<int>> a;
    std::vector<int, tbb::cache_aligned_allocator<int>> b;
    for (int i = 0; i < 10000; ++i) {
        a.push_back(i);
        b.push_back(i);
        ASSERT_TRUE(is_aligned(b.data(), r1::cache_line_size()));
    }
    EXPECT_EQ(std::vector<int>(a.begin(), a.end()), std::vector<int>(b.begin(), b.end()));
}

// ---- interleaved

bool all_zero(const char* p, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
        if (p[i] != 0)
            return false;
    return true;
}

TEST(interleaved, gives_zeroed_pages) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    for (const std::size_t bytes : {std::size_t{1}, page - 1, page, page + 1, 100 * page})
        for (const std::size_t chunk : {std::size_t{0}, page, 3 * page, 1000 * page})
            for (const bool named : {false, true}) {
                std::vector<tbb::numa_node_id> twice = tbb::info::numa_nodes();
                twice.push_back(twice.front());
                void* p = named ? tbb::allocate_numa_interleaved(bytes, twice, chunk)
                                : tbb::allocate_numa_interleaved(bytes, chunk);
                ASSERT_NE(p, nullptr);
                EXPECT_TRUE(is_aligned(p, page));
                EXPECT_TRUE(all_zero(static_cast<char*>(p), bytes));
                std::memset(p, 7, bytes);
                tbb::deallocate_numa_interleaved(p, bytes);
            }
}

TEST(interleaved, refuses_with_a_null_pointer) {
    EXPECT_EQ(tbb::allocate_numa_interleaved(0), nullptr);
    EXPECT_EQ(tbb::allocate_numa_interleaved(10000, 1), nullptr);
    EXPECT_EQ(tbb::allocate_numa_interleaved(10000, static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + 1),
              nullptr);
    EXPECT_EQ(tbb::allocate_numa_interleaved(10000, std::vector<tbb::numa_node_id>{}), nullptr);
    EXPECT_EQ(tbb::allocate_numa_interleaved(more_than_there_is), nullptr);
    EXPECT_EQ(tbb::allocate_numa_interleaved(more_than_there_is / 4), nullptr);
}

TEST(interleaved, frees_what_it_gave) {
    const auto mapped_pages = [] {
        std::ifstream statm("/proc/self/statm");
        std::size_t pages = 0;
        statm >> pages;
        return pages;
    };
    constexpr std::size_t times = 1000, bytes = 16 << 20;
    const std::size_t before = mapped_pages();
    for (std::size_t i = 0; i < times; ++i)
        tbb::deallocate_numa_interleaved(tbb::allocate_numa_interleaved(bytes, 1 << 20), bytes);
    // Half of what would be lost: an idle worker that allocates for the first time maps 64 MiB, 100 of them less than
    // this.
    EXPECT_LE(mapped_pages(), before + times * bytes / 2 / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

}  // namespace
