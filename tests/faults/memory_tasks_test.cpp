// Tasks, arenas, pipelines, observers and suspended tasks while memory fails.

#include <array>
#include <csignal>
#include <optional>

#include "faults/memory_support.h"

namespace {

using bough_test::fault_sweep;
using bough_test::trial;

TEST(memory_fails, parallel_invoke) {
    fault_sweep("parallel_invoke", 4).run([](trial& t) {
        bough::parallel_invoke([&] { t.visit(0); }, [&] { t.visit(1); }, [&] { t.visit(2); },
                               [&] { t.visit(3); });
        return true;
    });
    fault_sweep("parallel_invoke, recursive, context", 64).run([](trial& t) {
        struct halves {
            trial& seen;
            void run(std::size_t first, std::size_t last) const {
                if (last - first == 1)
                    return seen.visit(first);
                const std::size_t middle = (first + last) / 2;
                bough::task_group_context context;
                bough::parallel_invoke([=, this] { run(first, middle); }, [=, this] { run(middle, last); },
                                       context);
            }
        };
        halves{t}.run(0, t.size());
        return true;
    });
}

TEST(memory_fails, task_group) {
    // Of run(): what it throws was not run. The group is waited for by its destructor then.
    fault_sweep("task_group: run and wait", 300).run([](trial& t) {
        bough::task_group group;
        for (std::size_t i = 0; i < t.size(); ++i)
            group.run([&t, i] { t.visit(i); });
        return group.wait() == bough::complete;
    });
    fault_sweep("task_group: large functions", 40).run([](trial& t) {
        struct large {
            trial* seen;
            std::size_t i;
            std::byte more[1000];
            void operator()() const { seen->visit(i); }
        };
        bough::task_group group;
        for (std::size_t i = 0; i < t.size(); ++i)
            group.run(large{&t, i, {}});
        return group.wait() == bough::complete;
    });
    fault_sweep("task_group: run_and_wait", 2).run([](trial& t) {
        bough::task_group group;
        group.run([&] { t.visit(0); });
        return group.run_and_wait([&] { t.visit(1); }) == bough::complete;
    });
    fault_sweep("task_group: tasks that spawn", 127).run([](trial& t) {
        struct tree {
            trial& seen;
            bough::task_group& group;
            void grow(std::size_t node) const {
                seen.visit(node);
                for (const std::size_t child : {2 * node + 1, 2 * node + 2})
                    if (child < seen.size())
                        group.run([me = *this, child] { me.grow(child); });
            }
        };
        bough::task_group_context context;
        bough::task_group group(context);
        tree{t, group}.grow(0);
        return group.wait() == bough::complete;
    });
    fault_sweep("task_group: tasks of an isolated region", 200).run([](trial& t) {
        return bough::this_task_arena::isolate([&] {
            bough::task_group group;
            for (std::size_t i = 0; i < t.size(); ++i)
                group.run([&t, i] { t.visit(i); });
            return group.wait() == bough::complete;
        });
    });
}

TEST(memory_fails, task_arena) {
    fault_sweep("task_arena: made, entered, ended", 50).run([](trial& t) {
        bough::task_arena arena(3);
        return arena.execute([&] {
            bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); });
            return 7;
        }) == 7;
    });
    fault_sweep("task_arena: made again", 2).run([](trial& t) {
        bough::task_arena arena(2);
        arena.execute([&] { t.visit(0); });
        arena.terminate();
        arena.initialize(3, 1);
        arena.execute([&] { t.visit(1); });
        return arena.max_concurrency() == 3;
    });
    fault_sweep("task_arena: tasks", 100).run([](trial& t) {
        bough::task_arena arena(3, 1, bough::task_arena::priority::high);
        arena.execute([&] {
            bough::task_group group;
            for (std::size_t i = 0; i < t.size(); ++i)
                group.run([&t, i] { t.visit(i); });
            group.wait();
        });
        return true;
    });
    // More than a fresh queue has room for.
    fault_sweep("task_arena: many tasks", 3000).run([](trial& t) {
        bough::task_arena fresh(2);
        return fresh.execute([&] {
            bough::task_group group;
            for (std::size_t i = 0; i < t.size(); ++i)
                group.run([&t, i] { t.find(i); });
            return group.wait() == bough::complete;
        });
    });
    fault_sweep("task_arena: waits for descendants", 300).run([](trial& t) {
        bough::task_arena arena(3, 1, bough::task_arena::priority::normal,
                                bough::task_arena::waiting::descendants);
        arena.execute(
            [&] { bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); }); });
        return true;
    });
    fault_sweep("task_arena: in a loop", 60).run([](trial& t) {
        bough::task_arena arena(2);
        bough::parallel_for(std::size_t{0}, std::size_t{6}, [&](std::size_t i) {
            arena.execute([&] {
                bough::parallel_for(std::size_t{0}, std::size_t{10},
                                    [&](std::size_t j) { t.visit(i * 10 + j); });
            });
        });
        return true;
    });
}

// A thread that has not used bough before takes a slot and a pool of its own; it keeps neither.
TEST(memory_fails, new_threads) {
    fault_sweep("in a new thread", 100).run([](trial& t) {
        std::exception_ptr error;
        std::optional<std::thread> fresh;
        const auto run = [&] {
            try {
                bough::task_group group;
                for (std::size_t i = 0; i < t.size() / 2; ++i)
                    group.run([&t, i] { t.visit(i); });
                group.wait();
                bough::parallel_for(t.size() / 2, t.size(), [&](std::size_t i) { t.visit(i); });
            } catch (...) {
                error = std::current_exception();
            }
        };
        try {
            fresh.emplace(run);
        } catch (const std::system_error&) {  // no memory for its stack
            throw std::bad_alloc();
        }
        fresh->join();
        if (error)
            std::rethrow_exception(error);
        return true;
    });
}

// What was enqueued without an exception runs, when there is memory at the latest; what was not never does. Nobody who
// waits for it works in the arena, and the arena may be given up before.
TEST(memory_fails, enqueue) {
    for (const bool stays : {true, false}) {
        static std::optional<bough::task_arena> arena;
        static std::atomic<int> asked{0}, ran{0};
        fault_sweep(stays ? "task_arena: enqueue" : "task_arena: enqueue, given up", 3)
            .run(
                [&](trial& t) {
                    arena.emplace(2);
                    for (std::size_t i = 0; i < t.size(); ++i) {
                        arena->enqueue([&t, i] {
                            t.find(i);
                            ++ran;
                        });
                        ++asked;
                    }
                    if (!stays)
                        arena.reset();
                    // A worker comes while memory fails.
                    for (int yields = 0; yields < 300 && ran < asked; ++yields)
                        std::this_thread::yield();
                    return true;
                },
                [&](trial&, bool) {
                    EXPECT_TRUE(bough_test::comes_true([&] { return ran == asked; }))
                        << "of " << asked << " enqueued functions only " << ran << " have run";
                    arena.reset();
                });
    }
}

TEST(memory_fails, global_control) {
    fault_sweep("global_control", 100).run([](trial& t) {
        const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
        const bough::global_control stack(bough::global_control::thread_stack_size, std::size_t{1} << 20);
        bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); });
        return bough::global_control::active_value(bough::global_control::max_allowed_parallelism) <= 2;
    });
    EXPECT_EQ(bough::global_control::active_value(bough::global_control::terminate_on_exception), 0u);
}

// With terminate_on_exception no std::bad_alloc leaves the library: it ends the process.
TEST(memory_fails_death_test, the_process_ends_where_a_control_asks_for_it) {
    const auto without_memory = [](const auto& call) {
        const bough::global_control ends(bough::global_control::terminate_on_exception, 1);
        failing_memory::arm(failing_memory::whose::callers, failing_memory::how_many::all_from_there, 1);
        try {
            call();
        } catch (const std::bad_alloc&) {
        }
        failing_memory::disarm();
    };
    const auto by_terminate = testing::KilledBySignal(SIGABRT);
    const char* const said = "terminate called after throwing";
    EXPECT_EXIT(without_memory([] { bough::task_arena(2).initialize(); }), by_terminate, said);
    EXPECT_EXIT(without_memory([] {
                    const bough::global_control stack(bough::global_control::thread_stack_size, 1 << 20);
                }),
                by_terminate, said);
    EXPECT_EXIT(without_memory([] {
                    bough::task_group group;
                    std::array<char, 1000> large{};
                    group.run([large] { (void)large; });
                    group.wait();
                }),
                by_terminate, said);
}

TEST(memory_fails, observers) {
    struct counting : bough::observer {
        explicit counting(bough::task_arena& a) : bough::observer(a) {}
        ~counting() override { observe(false); }
        void on_entry(bool) override { ++inside; }
        void on_exit(bool) override { --inside; }
        std::atomic<int> inside{0};
    };
    fault_sweep("observer", 100).run([](trial& t) {
        bough::task_arena arena(3);
        counting here(arena);
        here.observe(true);
        arena.execute([&] {
            counting second(arena);
            second.observe(true);
            bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); });
        });
        here.observe(false);
        return here.inside >= 0;
    });
}

TEST(memory_fails, pipeline) {
    fault_sweep("parallel_pipeline", 200).run([](trial& t) {
        std::size_t next = 0, sum = 0;
        bough::parallel_pipeline(
            5,
            bough::make_filter<void, std::size_t>(bough::filter_mode::serial_in_order,
                                                  [&](bough::flow_control& control) {
                                                      if (next == t.size())
                                                          control.stop();
                                                      return next == t.size() ? next : next++;
                                                  }),
            bough::make_filter<std::size_t, std::unique_ptr<std::size_t>>(
                bough::filter_mode::parallel,
                [&](std::size_t i) { return std::make_unique<std::size_t>(i); }),
            bough::make_filter<std::unique_ptr<std::size_t>, std::size_t>(
                bough::filter_mode::parallel,
                [&](std::unique_ptr<std::size_t> i) {
                    t.visit(*i);
                    return *i;
                }),
            bough::make_filter<std::size_t, void>(bough::filter_mode::serial_out_of_order,
                                                  [&](std::size_t i) { sum += i; }));
        return sum == t.expected;
    });
}

TEST(memory_fails, suspended_tasks) {
    fault_sweep("suspend, resumed at once", 20).run([](trial& t) {
        bough::task_group group;
        for (std::size_t i = 0; i < t.size(); ++i)
            group.run([&t, i] {
                bough::suspend([](bough::suspend_point p) { bough::resume(p); });
                t.visit(i);
            });
        return group.wait() == bough::complete;
    });
    // In an arena of its own no stacks are left from earlier calls.
    fault_sweep("suspend, in a fresh arena", 6).run([](trial& t) {
        bough::task_arena fresh(2);
        return fresh.execute([&] {
            bough::task_group group;
            for (std::size_t i = 0; i < t.size(); ++i)
                group.run([&t, i] {
                    bough::suspend([](bough::suspend_point p) { bough::resume(p); });
                    t.visit(i);
                });
            return group.wait() == bough::complete;
        });
    });
    fault_sweep("suspend, resumed by another task", 2).run([](trial& t) {
        bough::task_group group;
        group.run([&] {
            std::atomic<bool> failed{false};
            bough::suspend([&](bough::suspend_point p) {
                try {
                    group.run([&t, p] {
                        t.visit(1);
                        bough::resume(p);
                    });
                } catch (const std::bad_alloc&) {
                    failed = true;
                    bough::resume(p);
                }
            });
            if (failed)
                throw std::bad_alloc();
            t.visit(0);
        });
        return group.wait() == bough::complete;
    });
}

// Two come here; the second one gets to know, and what the first one has left.
class meeting {
public:
    bool is_second(bough::suspend_point mine = nullptr) {
        if (mine)
            left_ = mine;
        return came_.exchange(true);
    }
    bough::suspend_point left() const { return left_; }

private:
    std::atomic<bough::suspend_point> left_{nullptr};
    std::atomic<bool> came_{false};
};

// A thread returns from its wait for `first` while `second` is suspended in its slot, which is left to a worker.
// `second` is suspended only where `first` was: another thread's wait would lie below it, and it waits for the end of
// that wait.
struct abandons_a_slot {
    trial& t;
    meeting first_waits, second_waits;
    std::atomic<std::thread::id> thread_of_first{};
    bough::task_group second, first;

    void run_first() {
        thread_of_first = std::this_thread::get_id();
        bough::suspend([this](bough::suspend_point p) {
            if (first_waits.is_second(p))
                bough::resume(p);
        });
        t.visit(0);
    }
    void let_first_go_on() {
        if (first_waits.is_second())
            bough::resume(first_waits.left());
    }
    void suspend_second() {
        try {
            bough::suspend([this](bough::suspend_point p) {
                const bool is_to_go_on = second_waits.is_second(p);
                let_first_go_on();
                if (is_to_go_on)
                    bough::resume(p);
            });
        } catch (...) {
            let_first_go_on();
            throw;
        }
    }
    void run_second() {
        if (thread_of_first.load() == std::this_thread::get_id())
            suspend_second();
        else
            let_first_go_on();
        t.visit(1);
    }
    void let_second_go_on() {
        if (second_waits.is_second())
            if (const bough::suspend_point p = second_waits.left())
                bough::resume(p);
    }
    bool run() {
        second.run([this] { run_second(); });
        try {
            first.run([this] { run_first(); });
            first.wait();
        } catch (...) {
            let_second_go_on();
            second.wait();
            throw;
        }
        let_second_go_on();
        return second.wait() == bough::complete;
    }
};

TEST(memory_fails, abandoned_slots) {
    fault_sweep("suspend, the thread goes", 2).run([](trial& t) {
        return abandons_a_slot{t, {}, {}, {}, {}, {}}.run();
    });
}

[[maybe_unused]] const auto* const says =
    ::testing::AddGlobalTestEnvironment(new bough_test::faults_are_said);

}  // namespace
