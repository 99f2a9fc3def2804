// oneTBB's allocators and memory resources: alignment, every byte one's own, freeing on another thread, failure.

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/memory_pool.h>
#include <oneapi/tbb/numa_allocation.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/scalable_allocator.h>
#include <oneapi/tbb/tbb_allocator.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <list>
#include <memory>
#include <memory_resource>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

using headers_only::first_numbers;
using headers_only::sum_below;

bool aligned(const void* p, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}

// No cache line that oneTBB runs on is shorter.
constexpr std::size_t shortest_cache_line = 64;

template <class Allocator>
class every_allocator : public testing::Test {};
using allocators = testing::Types<tbb::tbb_allocator<long>, tbb::cache_aligned_allocator<long>,
                                  tbb::scalable_allocator<long>>;
TYPED_TEST_SUITE(every_allocator, allocators);

TYPED_TEST(every_allocator, blocks_do_not_overlap) {
    std::atomic<int> spoilt{0};
    tbb::parallel_for(0, 300, [&](int i) {
        TypeParam allocator;
        const auto size = static_cast<std::size_t>(i * 7 % 1000 + 1);
        long* block = allocator.allocate(size);
        EXPECT_TRUE(aligned(block, alignof(long)));
        std::fill_n(block, size, i);
        long* second = allocator.allocate(1);
        *second = -1;
        for (std::size_t k = 0; k < size; ++k)
            spoilt += block[k] == i ? 0 : 1;
        allocator.deallocate(second, 1);
        allocator.deallocate(block, size);
    });
    EXPECT_EQ(spoilt, 0);
}

TYPED_TEST(every_allocator, blocks_are_freed_by_other_threads) {
    TypeParam allocator;
    tbb::concurrent_queue<long*> blocks;
    std::atomic<long> sum{0};
    tbb::parallel_for(0, 500, [&](int i) {
        long* block = allocator.allocate(20);
        block[19] = i;
        blocks.push(block);
    });
    tbb::parallel_for(0, 500, [&](int) {
        long* block = nullptr;
        if (blocks.try_pop(block)) {
            sum += block[19];
            TypeParam().deallocate(block, 20);
        }
    });
    EXPECT_EQ(sum, sum_below(500));
}

TYPED_TEST(every_allocator, works_in_containers) {
    using ints = typename std::allocator_traits<TypeParam>::template rebind_alloc<int>;
    std::vector<int, ints> vector;
    std::list<int, ints> list;
    tbb::concurrent_vector<int, ints> concurrent;
    for (int i = 0; i < 1000; ++i) {
        vector.push_back(i);
        list.push_back(i);
    }
    tbb::parallel_for(0, 1000, [&](int i) { concurrent.push_back(i); });
    EXPECT_EQ(std::vector<int>(vector.begin(), vector.end()), first_numbers(1000));
    EXPECT_EQ(std::vector<int>(list.begin(), list.end()), first_numbers(1000));
    EXPECT_EQ(concurrent.size(), 1000u);
    EXPECT_TRUE(TypeParam() == ints());
    static_assert(std::allocator_traits<TypeParam>::is_always_equal::value);
}

TYPED_TEST(every_allocator, what_cannot_be_had_is_bad_alloc) {
    TypeParam allocator;
    const std::size_t absurd = std::numeric_limits<std::size_t>::max() / sizeof(long) / 2;
    EXPECT_THROW(static_cast<void>(allocator.allocate(absurd)), std::bad_alloc);
}

TEST(cache_aligned_allocator, begins_at_a_cache_line) {
    tbb::cache_aligned_allocator<char> allocator;
    tbb::parallel_for(std::size_t{1}, std::size_t{200}, [&](std::size_t size) {
        char* block = allocator.allocate(size);
        EXPECT_TRUE(aligned(block, shortest_cache_line));
        allocator.deallocate(block, size);
    });
    EXPECT_GT(tbb::cache_aligned_allocator<int>().max_size(), 1000000u);
}

TEST(tbb_allocator, says_which_kind_it_is) {
    using allocator = tbb::tbb_allocator<int>;
    const auto kind = allocator::allocator_type();
    EXPECT_TRUE(kind == allocator::scalable || kind == allocator::standard);
    EXPECT_EQ(kind, allocator::allocator_type());
}

// Counts what goes through it.
class counting_resource : public std::pmr::memory_resource {
public:
    int live() const { return live_; }

private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
        ++live_;
        return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override {
        --live_;
        std::pmr::new_delete_resource()->deallocate(p, bytes, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

    std::atomic<int> live_{0};
};

TEST(cache_aligned_resource, aligns_what_its_upstream_gives) {
    counting_resource upstream;
    tbb::cache_aligned_resource resource(&upstream);
    EXPECT_EQ(resource.upstream_resource(), &upstream);
    tbb::parallel_for(std::size_t{1}, std::size_t{100}, [&](std::size_t size) {
        void* small = resource.allocate(size);
        EXPECT_TRUE(aligned(small, shortest_cache_line));
        void* wide = resource.allocate(size, 4096);
        EXPECT_TRUE(aligned(wide, 4096));
        std::memset(small, 1, size);
        std::memset(wide, 2, size);
        resource.deallocate(wide, size, 4096);
        resource.deallocate(small, size);
    });
    EXPECT_EQ(upstream.live(), 0);
    tbb::cache_aligned_resource same(&upstream);
    tbb::cache_aligned_resource standard;
    EXPECT_TRUE(resource.is_equal(same));
    EXPECT_FALSE(resource.is_equal(standard));
    EXPECT_EQ(standard.upstream_resource(), std::pmr::get_default_resource());
}

TEST(scalable_memory_resource, serves_standard_containers) {
    std::pmr::memory_resource* resource = tbb::scalable_memory_resource();
    EXPECT_EQ(resource, tbb::scalable_memory_resource());
    EXPECT_TRUE(resource->is_equal(*tbb::scalable_memory_resource()));
    tbb::parallel_for(0, 50, [&](int i) {
        std::pmr::vector<int> values(resource);
        for (int k = 0; k < 200; ++k)
            values.push_back(i);
        EXPECT_EQ(values.back(), i);
        void* wide = resource->allocate(100, 1024);
        EXPECT_TRUE(aligned(wide, 1024));
        resource->deallocate(wide, 100, 1024);
    });
}

TEST(scalable_malloc, c_functions) {
    tbb::parallel_for(1, 100, [](int i) {
        const auto size = static_cast<std::size_t>(i) * 33;
        auto* p = static_cast<char*>(scalable_malloc(size));
        ASSERT_TRUE(p);
        EXPECT_GE(scalable_msize(p), size);
        std::memset(p, i, size);
        p = static_cast<char*>(scalable_realloc(p, size * 3));
        ASSERT_TRUE(p);
        EXPECT_EQ(p[size - 1], static_cast<char>(i));
        scalable_free(p);
        auto* zeros = static_cast<char*>(scalable_calloc(size, 2));
        EXPECT_EQ(std::count(zeros, zeros + 2 * size, 0), static_cast<std::ptrdiff_t>(2 * size));
        scalable_free(zeros);
        void* wide = nullptr;
        EXPECT_EQ(scalable_posix_memalign(&wide, 512, size), 0);
        EXPECT_TRUE(aligned(wide, 512));
        scalable_free(wide);
        wide = scalable_aligned_malloc(size, 256);
        wide = scalable_aligned_realloc(wide, size * 2, 256);
        EXPECT_TRUE(aligned(wide, 256));
        scalable_aligned_free(wide);
    });
    const int cleaned = scalable_allocation_command(TBBMALLOC_CLEAN_ALL_BUFFERS, nullptr);
    EXPECT_TRUE(cleaned == TBBMALLOC_OK || cleaned == TBBMALLOC_NO_EFFECT);
}

TEST(memory_pool, blocks_of_many_threads) {
    tbb::memory_pool<std::allocator<char>> pool;
    std::atomic<int> spoilt{0};
    for (int round = 0; round < 3; ++round) {
        tbb::parallel_for(1, 200, [&](int i) {
            const auto size = static_cast<std::size_t>(i) * 10;
            auto* p = static_cast<char*>(pool.malloc(size));
            ASSERT_TRUE(p);
            std::memset(p, i, size);
            p = static_cast<char*>(pool.realloc(p, 2 * size));
            ASSERT_TRUE(p);
            spoilt += p[size - 1] == static_cast<char>(i) ? 0 : 1;
            if (i % 2 == 0)
                pool.free(p);
        });
        pool.recycle();
    }
    EXPECT_EQ(spoilt, 0);
}

TEST(memory_pool, allocator_for_containers) {
    using pool_type = tbb::memory_pool<tbb::tbb_allocator<char>>;
    pool_type pool;
    using allocator = tbb::memory_pool_allocator<int>;
    std::list<int, allocator> list{allocator(pool)};
    for (int i = 0; i < 1000; ++i)
        list.push_back(i);
    EXPECT_EQ(std::vector<int>(list.begin(), list.end()), first_numbers(1000));
    EXPECT_TRUE(allocator(pool) == tbb::memory_pool_allocator<long>(pool));
    pool_type other;
    EXPECT_TRUE(allocator(pool) != allocator(other));
}

TEST(fixed_pool, gives_only_what_is_in_its_buffer) {
    std::vector<char> buffer(1 << 20);
    tbb::fixed_pool pool(buffer.data(), buffer.size());
    std::vector<void*> blocks;
    for (void* p = pool.malloc(4000); p && blocks.size() < 1000; p = pool.malloc(4000)) {
        EXPECT_GE(static_cast<char*>(p), buffer.data());
        EXPECT_LE(static_cast<char*>(p) + 4000, buffer.data() + buffer.size());
        blocks.push_back(p);
    }
    EXPECT_GT(blocks.size(), 0u);
    EXPECT_LE(blocks.size(), buffer.size() / 4000);
    for (void* p : blocks)
        pool.free(p);
    void* again = pool.malloc(4000);
    EXPECT_TRUE(again);
    pool.free(again);
    EXPECT_THROW(tbb::fixed_pool(nullptr, 100), std::invalid_argument);
    EXPECT_THROW(tbb::fixed_pool(buffer.data(), 0), std::invalid_argument);
}

TEST(numa_allocation, interleaved_memory_is_memory) {
    constexpr std::size_t size = 1 << 18;
    const auto nodes = tbb::info::numa_nodes();
    for (int form = 0; form < 2; ++form) {
        void* p =
            form == 0 ? tbb::allocate_numa_interleaved(size) : tbb::allocate_numa_interleaved(size, nodes);
        ASSERT_TRUE(p);
        auto* bytes = static_cast<unsigned char*>(p);
        tbb::parallel_for(std::size_t{0}, size,
                          [&](std::size_t i) { bytes[i] = static_cast<unsigned char>(i); });
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < size; ++i)
            wrong += bytes[i] == static_cast<unsigned char>(i) ? 0 : 1;
        EXPECT_EQ(wrong, 0u);
        tbb::deallocate_numa_interleaved(p, size);
    }
    EXPECT_EQ(tbb::allocate_numa_interleaved(size, std::vector<tbb::numa_node_id>()), nullptr);
}

}  // namespace
