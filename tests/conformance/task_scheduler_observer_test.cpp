// tbb::task_scheduler_observer: who enters and leaves an arena, in pairs, and what observe(false) promises.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <map>
#include <mutex>
#include <type_traits>

using namespace conformance;

static_assert(std::has_virtual_destructor_v<tbb::task_scheduler_observer>);

namespace {

// Checks the pairing thread by thread, and counts.
class watcher : public tbb::task_scheduler_observer {
public:
    watcher() = default;
    explicit watcher(tbb::task_arena& arena) : tbb::task_scheduler_observer(arena) {}
    ~watcher() override { observe(false); }

    void on_scheduler_entry(bool is_worker) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        bool& inside = inside_[std::this_thread::get_id()];
        EXPECT_FALSE(inside) << "a second entry without an exit";
        inside = true;
        ++(is_worker ? worker_entries : plain_entries);
    }
    void on_scheduler_exit(bool is_worker) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        bool& inside = inside_[std::this_thread::get_id()];
        EXPECT_TRUE(inside) << "an exit without an entry";
        inside = false;
        ++(is_worker ? worker_exits : plain_exits);
    }
    bool is_inside() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return inside_[std::this_thread::get_id()];
    }

    std::atomic<int> worker_entries{0}, worker_exits{0}, plain_entries{0}, plain_exits{0};

private:
    std::mutex mutex_;
    std::map<std::thread::id, bool> inside_;
};

TEST(observer, is_off_at_first_and_switched_on_and_off) {
    tbb::task_arena arena(2);
    watcher w(arena);
    EXPECT_FALSE(w.is_observing());
    w.observe(false);
    EXPECT_FALSE(w.is_observing());
    arena.execute([] {});
    EXPECT_EQ(w.plain_entries, 0);
    w.observe();
    EXPECT_TRUE(w.is_observing());
    w.observe(true);
    EXPECT_TRUE(w.is_observing());
    arena.execute([] {});
    EXPECT_EQ(w.plain_entries, 1);
    w.observe(false);
    EXPECT_FALSE(w.is_observing());
    arena.execute([] {});
    EXPECT_EQ(w.plain_entries, 1);
    w.observe(true);
    arena.execute([] {});
    EXPECT_EQ(w.plain_entries, 2);
}

TEST(observer, sees_the_calling_thread_enter_and_leave) {
    for (int slots : {1, 2, 8}) {
        tbb::task_arena arena(slots);
        watcher w(arena);
        w.observe(true);
        for (int i = 1; i <= 20; ++i) {
            arena.execute([&] {
                EXPECT_TRUE(w.is_inside());
                EXPECT_EQ(w.plain_entries, i);
                EXPECT_EQ(w.plain_exits, i - 1);
            });
            EXPECT_FALSE(w.is_inside());
            EXPECT_EQ(w.plain_exits, i);
        }
    }
}

TEST(observer, sees_the_exit_after_an_exception) {
    tbb::task_arena arena(2);
    watcher w(arena);
    w.observe(true);
    EXPECT_EQ(number_thrown_by([&] { arena.execute([] { throw test_error(1); }); }), 1);
    EXPECT_EQ(w.plain_entries, 1);
    EXPECT_EQ(w.plain_exits, 1);
}

TEST(observer, sees_each_thread_before_it_works) {
    for (int slots : {1, 2, 8}) {
        tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
        tbb::task_arena arena(slots);
        watcher w(arena);
        w.observe(true);
        for (int round = 0; round < 20; ++round) {
            arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { EXPECT_TRUE(w.is_inside()); }); });
            EXPECT_FALSE(w.is_inside());
        }
        EXPECT_EQ(w.plain_entries, 20);
        EXPECT_EQ(w.plain_exits, 20);
    }
}

TEST(observer, tells_workers_from_the_programs_threads) {
    struct checker : tbb::task_scheduler_observer {
        using tbb::task_scheduler_observer::task_scheduler_observer;
        ~checker() override { observe(false); }
        void on_scheduler_entry(bool is_worker) override { EXPECT_EQ(is_worker, !is_ours()); }
        void on_scheduler_exit(bool is_worker) override { EXPECT_EQ(is_worker, !is_ours()); }
        static bool& is_ours() {
            static thread_local bool ours = false;
            return ours;
        }
    };
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
    tbb::task_arena arena(8);
    checker c(arena);
    c.observe(true);
    run_threads(3, [&](int) {
        checker::is_ours() = true;
        for (int round = 0; round < 10; ++round)
            arena.execute([] { tbb::parallel_for(0, 200, [](int) {}); });
    });
}

TEST(observer, sees_workers_come_and_go) {
    tbb::task_arena arena(2, 0);
    watcher w(arena);
    w.observe(true);
    std::atomic<int> count{0};
    for (int i = 0; i < 20; ++i) {
        arena.enqueue([&] {
            EXPECT_TRUE(w.is_inside());
            ++count;
        });
    }
    spin_until([&] { return count == 20; });
    EXPECT_GE(w.worker_entries, 1);
    spin_until([&] { return w.worker_exits == w.worker_entries; });
    EXPECT_EQ(w.plain_entries, 0);
}

TEST(observer, of_the_threads_own_arena) {
    std::thread([] {
        tbb::parallel_for(0, 10, [](int) {});
        watcher w;
        w.observe(true);
        EXPECT_TRUE(w.is_observing());
        tbb::parallel_for(0, 1000, [&](int) { EXPECT_TRUE(w.is_inside()); });
        EXPECT_EQ(w.plain_entries, 1) << "of the thread that is there already";
        w.observe(false);
        const int entries = w.worker_entries;
        tbb::parallel_for(0, 1000, [](int) {});
        EXPECT_EQ(w.worker_entries, entries);
    }).join();
}

TEST(observer, made_inside_an_arena_watches_that_one) {
    tbb::task_arena arena(2), other(2);
    arena.execute([&] {
        watcher w;
        w.observe(true);
        EXPECT_EQ(w.plain_entries, 1);
        other.execute([&] { EXPECT_EQ(w.plain_entries, 1); });
        EXPECT_EQ(w.plain_entries, 1);
        w.observe(false);
    });
}

TEST(observer, of_one_arena_does_not_see_another) {
    tbb::task_arena a(2), b(2);
    watcher of_a(a), of_b(b);
    of_a.observe(true);
    of_b.observe(true);
    a.execute([] { tbb::parallel_for(0, 100, [](int) {}); });
    EXPECT_EQ(of_a.plain_entries, 1);
    EXPECT_EQ(of_b.plain_entries, 0);
    EXPECT_EQ(of_b.worker_entries, 0);
    b.execute([&] { a.execute([] {}); });
    EXPECT_EQ(of_a.plain_entries, 2);
    EXPECT_EQ(of_b.plain_entries, 1);
}

TEST(observer, execute_in_the_own_arena_is_no_new_entry) {
    tbb::task_arena arena(2);
    watcher w(arena);
    w.observe(true);
    arena.execute([&] {
        arena.execute([&] { EXPECT_EQ(w.plain_entries, 1); });
        EXPECT_EQ(w.plain_exits, 0);
    });
    EXPECT_EQ(w.plain_exits, 1);
}

TEST(observer, several_of_one_arena) {
    tbb::task_arena arena(4);
    std::vector<std::unique_ptr<watcher>> watchers;
    for (int n = 1; n <= 5; ++n) {
        watchers.push_back(std::make_unique<watcher>(arena));
        watchers.back()->observe(true);
        arena.execute([] { tbb::parallel_for(0, 100, [](int) {}); });
        for (int i = 0; i < n; ++i)
            EXPECT_EQ(watchers[std::size_t(i)]->plain_entries, n - i);
    }
    while (!watchers.empty()) {
        watchers.erase(watchers.begin());
        arena.execute([] { tbb::parallel_for(0, 100, [](int) {}); });
    }
}

TEST(observer, switched_off_waits_for_calls_under_way) {
    struct slow : tbb::task_scheduler_observer {
        using tbb::task_scheduler_observer::task_scheduler_observer;
        ~slow() override { observe(false); }
        void on_scheduler_entry(bool) override {
            entered = true;
            spin_until([&] { return switching_off.load(); });
            for (int i = 0; i < 50; ++i)
                std::this_thread::yield();
            over = true;
        }
        std::atomic<bool> entered{false}, switching_off{false}, over{false};
    };
    tbb::task_arena arena(2, 0);
    std::atomic<bool> ran{false};
    {
        slow s(arena);
        s.observe(true);
        arena.enqueue([&] { ran = true; });
        spin_until([&] { return s.entered.load(); });
        s.switching_off = true;
        s.observe(false);
        EXPECT_TRUE(s.over);
    }
    spin_until([&] { return ran.load(); });
}

TEST(observer, made_and_destroyed_while_the_arena_works) {
    tbb::task_arena arena(4);
    std::atomic<bool> stop{false};
    std::thread worker([&] {
        while (!stop)
            arena.execute([] { tbb::parallel_for(0, 50, [](int) {}); });
    });
    for (int i = 0; i < 100; ++i) {
        watcher w(arena);
        w.observe(true);
        arena.execute([&] { EXPECT_TRUE(w.is_inside()); });
    }
    stop = true;
    worker.join();
}

}  // namespace
