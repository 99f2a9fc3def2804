#pragma once
// What a child counts over forks and a group of tasks.

#include <bough/bough.h>
#include <bough/statistics.h>

#include "process/process_support.h"

namespace bough_test {

// Leaves of a fork tree: every call but one of each pair is spawned.
inline int forks(int depth) {
    if (depth == 0)
        return 1;
    int left = 0, right = 0;
    bough::parallel_invoke([&] { left = forks(depth - 1); }, [&] { right = forks(depth - 1); });
    return left + right;
}

inline constexpr int depth = 12;
inline constexpr int grouped = 100;
inline constexpr long long spawned = (1LL << depth) - 1 + grouped;  // of a child's work

// The differences over a fork tree and a group of tasks, a line each.
inline int child_counts() {
    const bool is_counting = bough::counts_events();  // before the library was used
    const auto before = bough::statistics_now().total;
    if (forks(depth) != 1 << depth)
        return 1;
    bough::task_group group;
    std::atomic<int> ran{0};
    for (int i = 0; i < grouped; ++i)
        group.run([&ran] { ++ran; });
    group.wait();
    if (ran != grouped)
        return 2;
    const auto all = bough::statistics_now();
    const auto after = all.total - before;
    for (unsigned e = 0; e < bough::event_count; ++e)
        std::cout << bough::name_of(static_cast<bough::event>(e)) << ' ' << after.of[e] << '\n';
    std::cout << "slots " << all.slots.size() << "\nworking " << static_cast<long long>(after.working_ns)
              << "\ncounting " << is_counting << '\n';
    return 0;
}

// Of lines "name value".
inline std::map<std::string, long long> numbers_in(const std::string& text) {
    std::map<std::string, long long> result;
    std::istringstream in(text);
    long long value = 0;
    for (std::string name; in >> name >> value;)
        result[name] = value;
    return result;
}

inline std::map<std::string, long long> counts(const settings& s) {
    const auto outcome = run_child("counts", s);
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
    EXPECT_EQ(outcome.error_lines().size(), s.count("BOUGH_STATS") && s.at("BOUGH_STATS") == "1" ? 1U : 0U)
        << outcome.err;
    return numbers_in(outcome.out);
}

}  // namespace bough_test
