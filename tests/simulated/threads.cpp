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

// What tasks suspend, for those who resume them.
class points {
public:
    void put(bough::suspend_point p) {
        const std::lock_guard lock(guard_);
        there_.push_back(p);
        more_.notify_all();
    }
    bough::suspend_point take() {
        std::unique_lock lock(guard_);
        wait_asleep(more_, lock, [&] { return !there_.empty(); });
        const bough::suspend_point p = there_.back();
        there_.pop_back();
        return p;
    }

private:
    std::mutex guard_;
    std::condition_variable more_;
    std::vector<bough::suspend_point> there_;
};

// Two threads resume what tasks suspend, at any time.
void suspended(random_numbers& random) {
    points all;
    const int each = random.between(1, 6), tasks = 2 * each;
    std::vector<std::thread> resumers;
    for (int i = 0; i < 2; ++i)
        resumers.emplace_back(
            [&, mine = random_numbers(static_cast<std::uint64_t>(random.between(0, 1 << 30)))]() mutable {
                for (int left = each; left > 0; --left) {
                    const bough::suspend_point p = all.take();
                    if (mine.one_in(2))
                        pause(mine, 10);
                    bough::resume(p);
                }
            });
    std::atomic<int> went_on{0};
    bough::task_group group;
    for (int i = 0; i < tasks; ++i)
        group.run([&] {
            bough::suspend([&](bough::suspend_point p) { all.put(p); });
            went_on.fetch_add(1, std::memory_order_relaxed);
        });
    group.wait();
    for (std::thread& t : resumers)
        t.join();
    check_equal(went_on.load(), tasks, "tasks that went on");
}
const known suspended_is("suspended", suspended);

// Functions in an arena suspend; those that are enqueued later resume them.
void resumed_by_later_ones(random_numbers& random) {
    bough::task_arena arena(3, 1);
    points all;
    counter ended;
    const int each = random.between(1, 5);
    for (int i = 0; i < each; ++i) {
        arena.enqueue([&] {
            bough::suspend([&](bough::suspend_point p) { all.put(p); });
            ended.add();
        });
        if (random.one_in(2))
            pause(random, 20);
    }
    for (int i = 0; i < each; ++i) {
        const bough::suspend_point p = all.take();
        arena.enqueue([p, &ended] {
            bough::resume(p);
            ended.add();
        });
    }
    ended.wait_for(2 * each);
}
const known resumed_by_later_ones_is("resumed_by_later_ones", resumed_by_later_ones);

}  // namespace
}  // namespace simulated
