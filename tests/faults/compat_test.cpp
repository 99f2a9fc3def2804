// The same through oneTBB's interface on bough: user code throws, memory fails.

#include <tbb/tbb.h>

#include "faults/matrix.h"
#include "faults/memory_support.h"

namespace {

using namespace throwing;
using bough::task_group_context;
using tbb_range = basic_range<tbb::split>;

constexpr std::size_t n = experiment::elements;
constexpr std::size_t expected = n * (n - 1) / 2;

// ---- thrown

struct summing_body : copied {
    explicit summing_body(experiment& e) : copied(e) {}
    summing_body(summing_body& other, tbb::split) : copied(other.of()) { of().pass(place::split); }
    void operator()(const tbb_range& r) {
        of().pass(place::call);
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
            of().visit(i);
            value += i;
        }
    }
    void join(summing_body& right) {
        of().pass(place::join);
        value += right.value;
    }
    std::size_t value = 0;
};

bool loop(experiment& e, task_group_context*) {
    tbb::parallel_for(tbb_range(e, 0, n), [&e](const tbb_range& r) {
        e.pass(place::call);
        for (std::size_t i = r.begin(); i < r.end(); ++i)
            e.visit(i);
    });
    return true;
}

bool reduction(experiment& e, task_group_context*) {
    summing_body body(e);
    tbb::parallel_deterministic_reduce(tbb_range(e, 0, n), body, tbb::simple_partitioner());
    return body.value == expected;
}

bool functional_reduction(experiment& e, task_group_context*) {
    const auto add_range = [](const tbb::blocked_range<std::size_t>& r, sum s) {
        s.of().pass(place::call);
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
            s.of().visit(i);
            s.value += i;
        }
        return s;
    };
    const auto add = [](const sum& a, const sum& b) { return sum(a.of(), a.value + b.value); };
    return tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, n, 4), sum(e), add_range, add).value ==
           expected;
}

bool sort(experiment& e, task_group_context*) {
    std::vector<std::size_t> items(3000);
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = i * 7919 % items.size();
    tbb::parallel_sort(items.begin(), items.end(), [&e](std::size_t a, std::size_t b) {
        e.pass(place::compare);
        return a < b;
    });
    for (std::size_t i = 0; i < n; ++i)
        e.visit(items[i]);
    return std::is_sorted(items.begin(), items.end());
}

struct function : copied {
    function(experiment& e, std::size_t number) : copied(e), element(number) {}
    void operator()() const {
        of().pass(place::call);
        of().visit(element);
    }
    std::size_t element;
};

bool group(experiment& e, task_group_context*) {
    tbb::task_group tasks;
    try {
        for (std::size_t i = 0; i < n; ++i)
            tasks.run(function(e, i));
        return tasks.wait() == tbb::task_group_status::complete;
    } catch (...) {  // by run(): then the group is still to be waited for
        try {
            tasks.cancel();
            tasks.wait();
        } catch (const thrown&) {  // another one, where each throws
        }
        throw;
    }
}

bool arena(experiment& e, task_group_context*) {
    tbb::task_arena inside(3);
    return inside
               .execute([&e] {
                   tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { function(e, i)(); });
                   sum s(e, 5);
                   return s;
               })
               .value == 5;
}

struct item : tracked {
    item(experiment& e, std::size_t k) : tracked(e), number(k) {}
    item(const item& other) : tracked(other), number(other.number) { of().pass(place::item_copy); }
    item& operator=(const item&) = default;
    std::size_t number;
};

bool pipeline(experiment& e, task_group_context*) {
    std::size_t next = 0;
    tbb::parallel_pipeline(
        4, tbb::make_filter<void, item>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
               e.pass(place::input);
               if (next == n)
                   control.stop();
               return item(e, next == n ? next : next++);
           }) & tbb::make_filter<item, item>(tbb::filter_mode::parallel, [&](const item& i) {
               e.pass(place::middle);
               return i;
           }) & tbb::make_filter<item, void>(tbb::filter_mode::serial_in_order, [&](const item& i) {
               e.pass(place::output);
               e.visit(i.number);
           }));
    return next == n;
}

// After an exception the graph is reset, and used again.
bool graph(experiment& e, task_group_context*) {
    tbb::flow::graph g;
    tbb::flow::function_node<std::size_t, std::size_t> first(g, tbb::flow::unlimited, [&](std::size_t i) {
        e.pass(place::middle);
        return i;
    });
    tbb::flow::function_node<std::size_t, tbb::flow::continue_msg> last(g, tbb::flow::serial,
                                                                        [&](std::size_t i) {
                                                                            e.pass(place::output);
                                                                            if (i < n)
                                                                                e.visit(i);
                                                                            return tbb::flow::continue_msg();
                                                                        });
    tbb::flow::make_edge(first, last);
    try {
        for (std::size_t i = 0; i < n; ++i)
            first.try_put(i);
        g.wait_for_all();
    } catch (const thrown& t) {
        EXPECT_TRUE(g.exception_thrown());
        g.reset();
        if (e.where() != t.where || e.times_thrown() == 1) {  // it throws no more
            first.try_put(n);
            g.wait_for_all();
            EXPECT_FALSE(g.exception_thrown());
        }
        throw;
    }
    return !g.is_cancelled();
}

TEST(compat_throws, everything) {
    try_all(
        {"for",
         loop,
         false,
         {place::call, place::range_copy, place::range_split, place::range_divisible, place::range_empty}});
    try_all({"deterministic reduce",
             reduction,
             false,
             {place::call, place::split, place::join, place::range_split}});
    try_all({"reduce, functions", functional_reduction, false, {place::call, place::move}});
    try_all({"sort", sort, false, {place::compare}});
    try_all({"group", group, false, {place::call, place::move}});
    try_all({"arena", arena, false, {place::call}});
    try_all({"pipeline", pipeline, false, {place::input, place::middle, place::output, place::item_copy}});
    try_all({"graph", graph, false, {place::middle, place::output}});
}

// ---- memory

using bough_test::fault_sweep;
using bough_test::trial;
using range = tbb::blocked_range<std::size_t>;

TEST(compat_memory_fails, loops) {
    fault_sweep("tbb::parallel_for", 300).run([](trial& t) {
        tbb::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); });
        return true;
    });
    fault_sweep("tbb::parallel_reduce", 300).run([](trial& t) {
        const auto add = [&](const range& r, std::size_t s) {
            for (std::size_t i = r.begin(); i < r.end(); ++i) {
                t.visit(i);
                s += i;
            }
            return s;
        };
        return tbb::parallel_reduce(range(0, t.size()), std::size_t{0}, add, std::plus<>()) == t.expected;
    });
    fault_sweep("tbb::parallel_sort", 3000)
        .run(
            [](trial& t) {
                tbb::parallel_sort(t.numbers.begin(), t.numbers.end());
                return std::is_sorted(t.numbers.begin(), t.numbers.end());
            },
            [](trial& t, bool) {
                for (const int i : t.numbers)
                    t.find(static_cast<std::size_t>(i));
            });
}

TEST(compat_memory_fails, tasks) {
    fault_sweep("tbb::task_group", 100).run([](trial& t) {
        tbb::task_group tasks;
        try {
            for (std::size_t i = 0; i < t.size(); ++i)
                tasks.run([&t, i] { t.visit(i); });
        } catch (...) {
            tasks.wait();
            throw;
        }
        return tasks.wait() == tbb::task_group_status::complete;
    });
    // What a task throws has to be kept; without memory for that std::bad_alloc comes out all the same.
    fault_sweep("tbb::task_group, tasks that allocate", 20).run([](trial& t) {
        tbb::task_group tasks;
        try {
            for (std::size_t i = 0; i < t.size(); ++i)
                tasks.run([&t, i] {
                    const auto memory = std::make_unique<std::size_t>(i);
                    t.visit(*memory);
                });
        } catch (...) {
            tasks.wait();
            throw;
        }
        return tasks.wait() == tbb::task_group_status::complete;
    });
    fault_sweep("tbb::task_arena", 100).run([](trial& t) {
        tbb::task_arena fresh(2);
        return fresh.execute([&] {
            tbb::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); });
            return 3;
        }) == 3;
    });
}

// Blocks are not counted: oneTBB's nodes keep what their constructors have made in bare pointers, and lose it.
TEST(compat_memory_fails, graph) {
    const auto call = [](trial& t) {
        tbb::flow::graph g;
        tbb::flow::function_node<std::size_t, std::size_t> first(g, tbb::flow::unlimited,
                                                                 [](std::size_t i) { return i; });
        tbb::flow::function_node<std::size_t> last(g, tbb::flow::serial, [&](std::size_t i) { t.visit(i); });
        tbb::flow::make_edge(first, last);
        for (std::size_t i = 0; i < t.size(); ++i)
            first.try_put(i);
        g.wait_for_all();
        return true;
    };
    long refused = 1;
    for (long n = 1; refused != 0; ++n) {
        trial t(30);
        const auto o = bough_test::call_with_fault(failing_memory::whose::callers,
                                                   failing_memory::how_many::one, n, t, call);
        refused = o.refused;
        ASSERT_FALSE(o.was_other) << "allocation " << n;
        ASSERT_TRUE(o.threw ? refused != 0 && t.seen().none_twice() : t.seen().each_once())
            << "allocation " << n;
        ASSERT_TRUE(bough_test::works() && t.late() == 0) << "allocation " << n;
    }
}

// One that was refused memory does not observe: it may be asked again, and ends as if it had never been.
TEST(compat_memory_fails, observer) {
    struct counting : tbb::task_scheduler_observer {
        explicit counting(tbb::task_arena& a) : tbb::task_scheduler_observer(a) {}
        ~counting() override { observe(false); }
        void on_scheduler_entry(bool) override { ++entered; }
        std::atomic<int> entered{0};
    };
    tbb::task_arena arena(2);
    arena.initialize();
    int times = 0;
    for (bool was_refused = true; was_refused; ++times) {
        counting observer(arena);
        failing_memory::arm(failing_memory::whose::callers, failing_memory::how_many::one, times + 1);
        try {
            observer.observe(true);
        } catch (const std::bad_alloc&) {
        }
        was_refused = failing_memory::disarm() != 0;
        arena.execute([] {});
        EXPECT_EQ(observer.is_observing(), !was_refused) << "allocation " << times + 1;
        EXPECT_EQ(observer.entered > 0, !was_refused) << "allocation " << times + 1;
        if (was_refused) {
            observer.observe(true);
            EXPECT_TRUE(observer.is_observing()) << "asked again, with memory";
        }
    }
    EXPECT_GE(times, 3) << "a proxy and a record, at the least";
}

TEST(compat_memory_fails, pipeline) {
    fault_sweep("tbb::parallel_pipeline", 50).run([](trial& t) {
        std::size_t next = 0;
        tbb::parallel_pipeline(3, tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order,
                                                                      [&](tbb::flow_control& control) {
                                                                          if (next == t.size())
                                                                              control.stop();
                                                                          return next == t.size() ? next
                                                                                                  : next++;
                                                                      }) &
                                      tbb::make_filter<std::size_t, void>(
                                          tbb::filter_mode::parallel, [&](std::size_t i) { t.visit(i); }));
        return true;
    });
}

[[maybe_unused]] const auto* const says =
    ::testing::AddGlobalTestEnvironment(new bough_test::faults_are_said);

}  // namespace
