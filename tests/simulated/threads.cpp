// Threads that come and go, and tasks that wait while their thread does other things.

#include "scenario.h"

namespace simulated {
namespace {

void come_and_go(random_numbers& random) {
    std::vector<std::thread> there;
    std::atomic<int> ran{0};
    int wanted = 0;
    constexpr int comers = 8, units = 12;
    for (int i = 0; i < comers; ++i) {
        const int loops = random.between(1, 3);
        wanted += loops * units;
        there.emplace_back([&ran, loops] {
            for (int round = 0; round < loops; ++round)
                bough::parallel_for(0, units, [&](int) { ran.fetch_add(1, std::memory_order_relaxed); });
        });
        pause(random, 30);
        if (random.one_in(2)) {
            there.front().join();
            there.erase(there.begin());
        }
    }
    for (std::thread& t : there)
        t.join();
    check_equal(ran.load(), wanted, "units of all loops");
}
const known come_and_go_is("come_and_go", come_and_go);

// Another thread resumes what tasks suspend, at any time.
void suspended(random_numbers& random) {
    std::mutex guard;
    std::condition_variable more;
    std::vector<bough::suspend_point> points;
    const int tasks = random.between(1, 8);
    std::thread resumer([&, mine = random]() mutable {
        for (int left = tasks; left > 0;) {
            std::vector<bough::suspend_point> now;
            {
                std::unique_lock lock(guard);
                more.wait(lock, [&] { return !points.empty(); });
                now.swap(points);
            }
            pause(mine, 10);
            for (bough::suspend_point p : now)
                bough::resume(p);
            left -= static_cast<int>(now.size());
        }
    });
    std::atomic<int> went_on{0};
    bough::task_group group;
    for (int i = 0; i < tasks; ++i)
        group.run([&] {
            bough::suspend([&](bough::suspend_point p) {
                const std::lock_guard lock(guard);
                points.push_back(p);
                more.notify_all();
            });
            went_on.fetch_add(1, std::memory_order_relaxed);
        });
    group.wait();
    resumer.join();
    check_equal(went_on.load(), tasks, "tasks that went on");
}
const known suspended_is("suspended", suspended);

}  // namespace
}  // namespace simulated
