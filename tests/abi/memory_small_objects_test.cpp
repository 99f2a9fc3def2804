// The small-object pool through oneTBB's headers: objects of every size, freed by their own thread, by another one,
// after their thread, by its last destructors or in a forked child.

#include <gtest/gtest.h>

#include <oneapi/tbb/detail/_small_object_pool.h>
#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/task_group.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "abi/library.h"
#include "support/no_huge_pages.h"
#include "support/sanitized.h"

namespace {

using tbb::detail::d1::small_object_allocator;

using bough_test::sanitized;  // memory grows, and fork() among threads may hang

bool is_aligned(const void* p, std::size_t to) {
    return reinterpret_cast<std::uintptr_t>(p) % to == 0;
}

template <std::size_t Bytes>
struct small {
    explicit small(unsigned char v) { std::memset(bytes, v, Bytes); }
    bool is_all(unsigned char v) const {
        for (const unsigned char b : bytes)
            if (b != v)
                return false;
        return true;
    }
    unsigned char bytes[Bytes];
};

template <std::size_t Bytes>
void make_check_free() {
    std::vector<std::pair<small_object_allocator, small<Bytes>*>> all(300);
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].first = {};
            all[i].second = all[i].first.template new_object<small<Bytes>>(static_cast<unsigned char>(i));
            ASSERT_TRUE(is_aligned(all[i].second, 64)) << Bytes;
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_TRUE(all[i].second->is_all(static_cast<unsigned char>(i))) << Bytes;
            all[i].first.delete_object(all[i].second);
        }
    }
}

TEST(small_objects, of_every_size_do_not_overlap) {
    make_check_free<1>();
    make_check_free<64>();
    make_check_free<65>();
    make_check_free<128>();
    make_check_free<192>();
    make_check_free<256>();
    make_check_free<257>();
    make_check_free<448>();
    make_check_free<512>();
    make_check_free<513>();
    make_check_free<5000>();
}

// The execution data must be that of a running task.
class allocating_task : public tbb::detail::d1::task {
public:
    explicit allocating_task(tbb::detail::d1::wait_context& w) : wait_(w) {}
    task* execute(tbb::detail::d1::execution_data& ed) override {
        small_object_allocator with{}, without{};
        auto* a = with.new_object<small<100>>(ed, static_cast<unsigned char>(1));
        auto* b = without.new_object<small<100>>(static_cast<unsigned char>(2));
        EXPECT_TRUE(a->is_all(1));
        with.delete_object(a);
        without.delete_object(b, ed);
        wait_.release();
        return nullptr;
    }
    task* cancel(tbb::detail::d1::execution_data&) override { return nullptr; }

private:
    tbb::detail::d1::wait_context& wait_;
};

TEST(small_objects, with_execution_data_are_the_same) {
    tbb::task_group_context context;
    tbb::detail::d1::wait_context wait(1);
    allocating_task t(wait);
    tbb::detail::d1::execute_and_wait(t, context, wait, context);
}

// A ring of slots between one thread that makes objects and others that free them.
template <class Object>
class ring {
public:
    void put(small_object_allocator a, Object* o) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return items_.size() < 64; });
        items_.emplace_back(a, o);
        changed_.notify_all();
    }
    bool take_and_free() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !items_.empty() || closed_; });
        if (items_.empty())
            return false;
        auto [a, o] = items_.back();
        items_.pop_back();
        changed_.notify_all();
        lock.unlock();
        EXPECT_TRUE(o->is_all(o->bytes[0]));
        a.delete_object(o);
        return true;
    }
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::pair<small_object_allocator, Object*>> items_;
    bool closed_ = false;
};

std::size_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::size_t all = 0, resident = 0;
    statm >> all >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// 64 objects live at most; 60,000 of them at once would be 15 MB.
TEST(small_objects, that_others_free_are_used_again) {
    ring<small<256>> r;
    std::thread a([&] {
        while (r.take_and_free()) {
        }
    });
    std::thread b([&] {
        while (r.take_and_free()) {
        }
    });
    std::size_t before = 0;
    for (int i = 0; i < 60000; ++i) {
        small_object_allocator allocator{};
        auto* o = allocator.new_object<small<256>>(static_cast<unsigned char>(i));
        r.put(allocator, o);
        if (i == 1000)
            before = resident_bytes();
    }
    r.close();
    a.join();
    b.join();
    if (!sanitized) {
        EXPECT_LT(resident_bytes(), before + (5 << 20));
    }
}

// As delete through a base class with a virtual destructor: the size given is the base's. All at once would be 40 MB.
struct unsized {
    tbb::detail::d1::small_object_pool* pool = nullptr;
    void* memory = nullptr;

    explicit unsized(std::size_t bytes) : memory(tbb::detail::r1::allocate(pool, bytes)) {
        std::memset(memory, 1, bytes);
    }
    void free_as(std::size_t bytes) const { tbb::detail::r1::deallocate(*pool, memory, bytes); }
};

template <class Round>
std::size_t growth_of(Round&& round) {
    round();
    const std::size_t before = resident_bytes();
    for (int i = 0; i < 100; ++i)
        round();
    const std::size_t after = resident_bytes();
    return after > before ? after - before : 0;
}

constexpr std::size_t true_sizes[] = {200, 65, 128, 256, 1, 129};

TEST(small_objects, freed_by_the_size_of_a_base_are_used_again) {
    const std::size_t grown = growth_of([] {
        std::vector<unsized> all;
        for (int i = 0; i < 2000; ++i)
            all.emplace_back(true_sizes[i % 6]);
        for (const unsized& o : all)
            o.free_as(64);
    });
    if (!sanitized) {
        EXPECT_LT(grown, std::size_t{4} << 20);
    }
}

TEST(small_objects, freed_elsewhere_by_the_size_of_a_base_are_used_again) {
    std::vector<unsized> all;
    const std::size_t grown = growth_of([&all] {
        for (int i = 0; i < 2000; ++i)
            all.emplace_back(true_sizes[i % 6]);
        std::thread([&all] {
            for (const unsized& o : all)
                o.free_as(64);
        }).join();
        all.clear();
    });
    if (!sanitized) {
        EXPECT_LT(grown, std::size_t{4} << 20);
    }
}

TEST(small_objects, freed_by_another_size_overlap_no_others) {
    for (const std::size_t wrong : {64, 256}) {
        for (const std::size_t bytes : true_sizes)
            unsized(bytes).free_as(wrong);
        std::vector<unsized> all;
        for (std::size_t i = 0; i < 60; ++i) {
            all.emplace_back(true_sizes[i % 6]);
            std::memset(all[i].memory, static_cast<int>(i), true_sizes[i % 6]);
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::string expected(true_sizes[i % 6], static_cast<char>(i));
            EXPECT_EQ(std::memcmp(all[i].memory, expected.data(), expected.size()), 0) << i;
            all[i].free_as(wrong);
        }
    }
}

// Beyond what a pool serves the size does not matter either; oneTBB keeps such an object for good.
TEST(small_objects, larger_ones_may_be_freed_by_the_size_of_a_base) {
    const std::size_t grown = growth_of([] {
        for (int i = 0; i < 300; ++i)
            unsized(400 + static_cast<std::size_t>(i)).free_as(i % 2 == 0 ? 64 : 300);
    });
    if (!sanitized && !is_onetbb()) {
        EXPECT_LT(grown, std::size_t{4} << 20);
    }
}

// One allocator for two objects: it remembers where the last one came from.
TEST(small_objects, of_one_allocator_differ_in_size) {
    for (int i = 0; i < 100; ++i) {
        small_object_allocator shared{};
        auto* a = shared.new_object<small<30>>(static_cast<unsigned char>(1));
        auto* b = shared.new_object<small<300>>(static_cast<unsigned char>(2));
        auto* c = shared.new_object<small<200>>(static_cast<unsigned char>(3));
        EXPECT_TRUE(a->is_all(1) && b->is_all(2) && c->is_all(3));
        shared.delete_object(b);
        shared.delete_object(a);
        shared.delete_object(c);
    }
}

// Everybody makes, passes on and frees, all sizes mixed.
TEST(small_objects, go_round_between_threads) {
    ring<small<64>> small_ring;
    ring<small<300>> large_ring;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 3000; ++i) {
                small_object_allocator a{}, b{};
                auto* x = a.new_object<small<64>>(static_cast<unsigned char>(i + t));
                auto* y = b.new_object<small<300>>(static_cast<unsigned char>(i - t));
                if (i % 3 == 0) {
                    a.delete_object(x);
                    b.delete_object(y);
                    continue;
                }
                small_ring.put(a, x);
                large_ring.put(b, y);
                small_ring.take_and_free();
                large_ring.take_and_free();
            }
        });
    for (std::thread& t : threads)
        t.join();
}

struct held {
    small_object_allocator allocator{};
    small<200>* object = nullptr;
    void make(int v) { object = allocator.new_object<small<200>>(static_cast<unsigned char>(v)); }
    void free() {
        if (object != nullptr)
            allocator.delete_object(object);
        object = nullptr;
    }
    ~held() { free(); }
};

TEST(small_objects, outlive_their_thread) {
    for (int round = 0; round < 50; ++round) {
        std::vector<held> left(100);
        std::thread maker([&] {
            for (std::size_t i = 0; i < left.size(); ++i)
                left[i].make(static_cast<int>(i));
        });
        maker.join();
        // Another thread may own the pool by now; it must not hand out what still lives.
        std::thread next([] {
            std::vector<held> own(150);
            for (held& h : own)
                h.make(99);
        });
        for (std::size_t i = 0; i < left.size(); i += 2)
            left[i].free();
        next.join();
        for (std::size_t i = 1; i < left.size(); i += 2)
            EXPECT_TRUE(left[i].object->is_all(static_cast<unsigned char>(i)));
    }
}

// Threads that end give their memory on, also with an object of theirs alive: 2000 times 60 KB would be 120 MB.
TEST(small_objects, of_ended_threads_do_not_pile_up) {
    std::size_t before = 0;
    std::vector<held> left(2000);
    for (std::size_t i = 0; i < left.size(); ++i) {
        std::thread([&left, i] {
            left[i].make(7);
            std::vector<held> own(230);
            for (held& h : own)
                h.make(1);
        }).join();
        if (i == 100)
            before = resident_bytes();
    }
    if (!sanitized) {
        EXPECT_LT(resident_bytes(), before + (10 << 20));
    }
}

// Freed and made by destructors of thread_local objects, which run when the thread is nearly gone.
struct last_words {
    held kept;
    ~last_words() {
        kept.free();
        held again;
        again.make(3);
        EXPECT_TRUE(again.object->is_all(3));
    }
};

TEST(small_objects, serve_thread_local_destructors) {
    for (int i = 0; i < 100; ++i)
        std::thread([i] {
            thread_local last_words early;  // constructed before the thread first allocates
            early.kept.make(i);
            thread_local last_words late;
            late.kept.make(i + 1);
        }).join();
}

// Freed by a destructor of a static object, after main(): the process must still end well.
held& kept_to_the_end() {
    static held h;
    return h;
}

TEST(small_objects, may_be_freed_by_static_destructors) {
    held& h = kept_to_the_end();
    if (h.object == nullptr)
        std::thread([&] { h.make(5); }).join();
    EXPECT_TRUE(h.object->is_all(5));
}

TEST(small_objects, in_a_child_process) {
    if (sanitized)
        GTEST_SKIP() << "a sanitizer's own locks do not survive a fork among threads";
    std::vector<held> before_fork(10);
    std::thread([&] {
        for (held& h : before_fork)
            h.make(1);
    }).join();
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        while (!stop) {
            held h;
            h.make(2);
        }
    });
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            for (held& h : before_fork)
                h.free();
            held mine;
            mine.make(3);
            _exit(mine.object->is_all(3) ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
    }
    stop = true;
    busy.join();
}

}  // namespace
