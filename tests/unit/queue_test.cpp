// Chase-Lev, mailbox and proxy: alone, at their edges, and under contention.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "mail/mailbox.h"
#include "mail/task_proxy.h"
#include "queue/chase_lev.h"

namespace bough {
namespace {

struct counted : task {
    std::atomic<int> taken{0};
};

TEST(chase_lev, owner_is_last_in_first_out_thief_first_in_first_out) {
    chase_lev q;
    counted t[3];
    for (auto& x : t)
        chase_lev::owner(q).push(x);
    EXPECT_EQ(chase_lev::thief(q).steal().stolen, &t[0]);
    EXPECT_EQ(chase_lev::owner(q).pop(), &t[2]);
    EXPECT_EQ(chase_lev::owner(q).pop(), &t[1]);
    EXPECT_EQ(chase_lev::owner(q).pop(), nullptr);
    EXPECT_EQ(chase_lev::thief(q).steal().status, steal_status::empty);
}

TEST(chase_lev, grows_and_keeps_order_across_the_wrap) {
    chase_lev q(2);
    std::vector<counted> t(1000);
    for (int i = 0; i < 3; ++i) {
        chase_lev::owner(q).push(t[0]);
        EXPECT_EQ(chase_lev::thief(q).steal().stolen, &t[0]);
    }
    for (auto& x : t)
        chase_lev::owner(q).push(x);
    for (std::size_t i = 0; i < 500; ++i)
        EXPECT_EQ(chase_lev::thief(q).steal().stolen, &t[i]);
    for (std::size_t i = 1000; i-- > 500;)
        EXPECT_EQ(chase_lev::owner(q).pop(), &t[i]);
    EXPECT_TRUE(q.is_empty());
}

// An owner that pushes and pops, thieves that steal: every task is taken once. Capacity 2 makes it grow under steals.
TEST(chase_lev, nothing_lost_nothing_twice_under_contention) {
    constexpr int rounds = 200, per_round = 100, thieves = 2;
    chase_lev q(2);
    std::vector<counted> tasks(rounds * per_round);
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < thieves; ++i)
        threads.emplace_back([&] {
            while (!stop.load()) {
                const steal_result r = chase_lev::thief(q).steal();
                if (r.status == steal_status::success)
                    static_cast<counted*>(r.stolen)->taken.fetch_add(1);
            }
        });
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < per_round; ++i) {
            chase_lev::owner(q).push(tasks[static_cast<std::size_t>(r * per_round + i)]);
            if (i % 3 == 0)
                if (task* t = chase_lev::owner(q).pop())
                    static_cast<counted*>(t)->taken.fetch_add(1);
        }
        while (task* t = chase_lev::owner(q).pop())
            static_cast<counted*>(t)->taken.fetch_add(1);
    }
    while (!q.is_empty())
        std::this_thread::yield();
    stop = true;
    for (auto& t : threads)
        t.join();
    for (const auto& t : tasks)
        ASSERT_EQ(t.taken.load(), 1);
}

void run_nothing(task&, bool) {}

TEST(task_proxy, first_come_gets_the_task_second_finds_it_spent) {
    counted t;
    for (const auto first : {task_proxy::queue, task_proxy::mailbox}) {
        const auto second = first == task_proxy::queue ? task_proxy::mailbox : task_proxy::queue;
        auto* p = new task_proxy(t, run_nothing);
        EXPECT_EQ(task_proxy::take(*p, first), &t);
        EXPECT_EQ(task_proxy::take(*p, second), nullptr);  // frees it: address sanitizer would tell
    }
}

TEST(task_proxy, taken_from_both_sides_at_once_runs_once) {
    constexpr int n = 2000;
    std::vector<counted> tasks(n);
    std::vector<task_proxy*> proxies;
    for (auto& t : tasks)
        proxies.push_back(new task_proxy(t, run_nothing));
    std::atomic<int> line{0};
    const auto take_all = [&](task_proxy::place from) {
        line.fetch_add(1);
        while (line.load() < 2)
            std::this_thread::yield();
        for (task_proxy* p : proxies)
            if (task* t = task_proxy::take(*p, from))
                static_cast<counted*>(t)->taken.fetch_add(1);
    };
    std::thread other([&] { take_all(task_proxy::mailbox); });
    take_all(task_proxy::queue);
    other.join();
    for (const auto& t : tasks)
        ASSERT_EQ(t.taken.load(), 1);
}

TEST(mailbox, oldest_first_across_several_receives) {
    counted t;
    mailbox box;
    EXPECT_EQ(box.receive(), nullptr);
    EXPECT_FALSE(box.has_mail());
    std::vector<std::unique_ptr<task_proxy>> p;
    for (int i = 0; i < 5; ++i)
        p.push_back(std::make_unique<task_proxy>(t, run_nothing));
    box.send(*p[0]);
    box.send(*p[1]);
    EXPECT_EQ(box.receive(), p[0].get());
    box.send(*p[2]);
    EXPECT_EQ(box.receive(), p[1].get());
    EXPECT_EQ(box.receive(), p[2].get());
    EXPECT_FALSE(box.has_mail());
}

TEST(mailbox, many_senders_lose_nothing_and_keep_each_senders_order) {
    constexpr int senders = 3, each = 3000;
    struct numbered : task_proxy {
        numbered(task& t, int s, int n) : task_proxy(t, run_nothing), sender(s), number(n) {}
        int sender, number;
    };
    counted t;
    mailbox box;
    std::vector<std::unique_ptr<numbered>> all;
    for (int s = 0; s < senders; ++s)
        for (int n = 0; n < each; ++n)
            all.push_back(std::make_unique<numbered>(t, s, n));
    std::vector<std::thread> threads;
    for (int s = 0; s < senders; ++s)
        threads.emplace_back([&, s] {
            for (int n = 0; n < each; ++n)
                box.send(*all[static_cast<std::size_t>(s * each + n)]);
        });
    std::vector<int> next(senders, 0);
    for (int got = 0; got < senders * each;) {
        auto* p = static_cast<numbered*>(box.receive());
        if (!p)
            continue;
        ASSERT_EQ(p->number, next[static_cast<std::size_t>(p->sender)]++);
        ++got;
    }
    for (auto& th : threads)
        th.join();
    EXPECT_FALSE(box.has_mail());
}

}  // namespace
}  // namespace bough
