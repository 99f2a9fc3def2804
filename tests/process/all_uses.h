#pragma once
// Everything that a program can ask of bough, each with an answer that is known: for processes in which something is
// missing or goes on. A use returns "" or what was wrong. None of them needs two threads at a time.

#include "process_support.h"

namespace bough_test {

inline std::string right_if(bool right, const char* what) {
    return right ? "" : what;
}

inline void wait_for(const std::atomic<int>& value, int wanted) {
    while (value.load() != wanted)
        std::this_thread::yield();
}

inline void wait_for_at_least(const std::atomic<int>& value, int wanted) {
    while (value.load() < wanted)
        std::this_thread::yield();
}

inline std::string use_loops_and_groups() {
    return right_if(wrong_answers() == 0, "wrong answers of loops, reductions, groups");
}

inline std::string use_invoke_tree() {
    struct tree {
        static int leaves(int depth) {
            if (depth == 0)
                return 1;
            int left = 0, right = 0;
            bough::parallel_invoke([&] { left = leaves(depth - 1); }, [&] { right = leaves(depth - 1); });
            return left + right;
        }
    };
    return right_if(tree::leaves(10) == 1024, "parallel_invoke lost a leaf");
}

inline std::string use_sort_and_scan() {
    std::vector<int> values(20000), sums(20000);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<int>((i * 7919) % values.size());
    bough::parallel_sort(values.begin(), values.end());
    if (!std::is_sorted(values.begin(), values.end()))
        return "parallel_sort";
    const int total = bough::parallel_scan(
        bough::blocked_range<std::size_t>(0, sums.size()), 0,
        [&](const bough::blocked_range<std::size_t>& r, int sum, bool is_final) {
            for (std::size_t i = r.begin(); i < r.end(); ++i) {
                sum += 1;
                if (is_final)
                    sums[i] = sum;
            }
            return sum;
        },
        std::plus<int>());
    return right_if(total == 20000 && sums.front() == 1 && sums.back() == 20000, "parallel_scan");
}

inline std::string use_for_each_with_feeder() {
    std::atomic<int> ran{0};
    const std::vector<int> depths{6, 6, 6};
    bough::parallel_for_each(depths.begin(), depths.end(), [&](int depth, bough::feeder<int>& more) {
        ++ran;
        for (int k = 0; k < (depth > 0 ? 2 : 0); ++k)
            more.add(depth - 1);
    });
    return right_if(ran == 3 * 127, "parallel_for_each lost what was fed");
}

inline std::string use_pipeline() {
    int next = 0, last = -1;
    bool in_order = true;
    std::atomic<int> squares{0};
    bough::parallel_pipeline(
        4,
        bough::make_filter<void, int>(bough::filter_mode::serial_in_order, [&](bough::flow_control& control) {
            if (next == 200)
                control.stop();
            return next++;
        }) & bough::make_filter<int, int>(bough::filter_mode::parallel, [&](int i) {
            ++squares;
            return i;
        }) & bough::make_filter<int, void>(bough::filter_mode::serial_in_order, [&](int i) {
            in_order = in_order && i == last + 1;
            last = i;
        }));
    return right_if(in_order && last == 199 && squares == 200, "parallel_pipeline");
}

inline std::string use_arenas() {
    for (const int width : {1, 2, 5}) {
        bough::task_arena arena(width);
        visits seen(1000);
        const int answer = arena.execute([&] {
            bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { seen.hit(i); });
            return 42;
        });
        if (answer != 42 || !seen.each_once())
            return "task_arena::execute";
    }
    return "";
}

// What is enqueued runs without anybody who waits in the arena.
inline std::string use_enqueue() {
    for (const int width : {1, 2, 5}) {
        bough::task_arena arena(width);
        std::atomic<int> ran{0};
        for (int k = 1; k <= 20; ++k) {
            arena.enqueue([&] { ++ran; });
            if (k % 5 == 0)
                wait_for(ran, k);
        }
        bough::task_arena(width).enqueue([&] { ++ran; });  // the arena is given up at once
        wait_for(ran, 21);
    }
    return "";
}

// Each link enqueues the next: as deep as a stack, were they nested.
inline std::string use_chain_of_enqueued() {
    struct chain {
        bough::task_arena arena{2};
        std::atomic<int> ran{0};
        void link(int left) {
            if (left > 0)
                arena.enqueue([this, left] { link(left - 1); });
            ++ran;
        }
    };
    constexpr int links = 50000;
    chain c;
    c.arena.enqueue([&] { c.link(links); });
    wait_for(c.ran, links + 1);
    return "";
}

inline std::string use_enqueue_from_a_body() {
    bough::task_arena other(2);
    std::atomic<int> ran{0};
    bough::parallel_for(0, 100, [&](int) { other.enqueue([&] { ++ran; }); });
    wait_for(ran, 100);
    other.execute([&] { other.enqueue([&] { ++ran; }); });
    wait_for(ran, 101);
    return "";
}

// The only slot is taken by a thread that waits for the visitor.
inline std::string use_full_arena() {
    bough::task_arena arena(1);
    bool ran = false;
    arena.execute([&] { std::thread([&] { arena.execute([&] { ran = true; }); }).join(); });
    return right_if(ran, "a visitor's function did not run");
}

// Two groups of tasks that suspend; the first is resumed by a thread of the program, the second by its other tasks.
inline std::string use_suspension() {
    bough::task_group tasks;
    std::atomic<int> resumed{0};
    std::vector<std::thread> others(4);
    for (int k = 0; k < 4; ++k)
        tasks.run([&, k] {
            bough::suspend([&](bough::suspend_point p) {
                others[static_cast<std::size_t>(k)] = std::thread([p] { bough::resume(p); });
            });
            ++resumed;
        });
    tasks.wait();
    for (auto& t : others)
        t.join();
    for (int k = 0; k < 4; ++k)
        tasks.run([&] {
            bough::suspend([&](bough::suspend_point p) { tasks.run([p] { bough::resume(p); }); });
            ++resumed;
        });
    tasks.wait();
    return right_if(resumed == 8, "a suspended task did not go on");
}

inline std::string use_observers() {
    struct counting : bough::observer {
        using bough::observer::observer;
        ~counting() override { observe(false); }
        void on_entry(bool) override { ++entries; }
        void on_exit(bool) override { ++exits; }
        std::atomic<int> entries{0}, exits{0};
    };
    bough::task_arena arena(3);
    counting all(arena);
    all.observe();
    for (int k = 0; k < 3; ++k)
        arena.execute([] { bough::parallel_for(0, 1000, [](int) {}); });
    arena.enqueue([] {});
    all.observe(false);
    return right_if(all.entries >= 3 && all.exits >= 3 && all.entries >= all.exits, "observers");
}

inline std::string use_many_threads() {
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] { wrong += wrong_answers(); });
    for (auto& t : threads)
        t.join();
    return right_if(wrong == 0, "wrong answers in several threads");
}

struct use {
    const char* name;
    std::string (*run)();
    bool has_threads = false;   // of its own
    bool wants_worker = false;  // one that is not in somebody else's body, where there is any
};

inline const std::vector<use>& all_uses() {
    static const std::vector<use> uses = {
        {"loops_and_groups", use_loops_and_groups},
        {"invoke_tree", use_invoke_tree},
        {"sort_and_scan", use_sort_and_scan},
        {"for_each_with_feeder", use_for_each_with_feeder},
        {"pipeline", use_pipeline},
        {"arenas", use_arenas},
        {"enqueue", use_enqueue, false, true},
        {"chain_of_enqueued", use_chain_of_enqueued, false, true},
        {"enqueue_from_a_body", use_enqueue_from_a_body, false, true},
        {"full_arena", use_full_arena, true, true},
        {"suspension", use_suspension, true},
        {"observers", use_observers},
        {"many_threads", use_many_threads, true},
    };
    return uses;
}

// 0, or the number of the use that was wrong; it is named on stdout.
inline int run_uses(bool (*is_wanted)(const use&) = [](const use&) { return true; }) {
    int number = 0;
    for (const use& u : all_uses()) {
        ++number;
        if (!is_wanted(u))
            continue;
        std::cout << u.name << std::endl;  // where a hanging child stood
        if (const std::string wrong = u.run(); !wrong.empty()) {
            std::cout << "wrong: " << wrong << std::endl;
            return number;
        }
    }
    return 0;
}

}  // namespace bough_test
