// Local queues, mailbox and proxy: alone, at their edges, and under contention.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "mail/mailbox.h"
#include "mail/task_proxy.h"
#include "queue/abp.h"
#include "queue/chase_lev.h"
#include "queue/mutex_deque.h"
#include "queue/split.h"

namespace bough {
namespace {

struct counted : task {
    std::atomic<int> taken{0};
};

// ---- local queues ----

using split = basic_split<machine::atomics, expose_one, exposure::by_owner>;
using split_signal = basic_split<machine::atomics, expose_one, exposure::by_signal>;

// Of little room, so that it overflows, grows or wraps soon.
template <class Queue>
Queue small() {
    if constexpr (std::is_same_v<Queue, mutex_deque>)
        return Queue();
    else
        return Queue(2);
}

// As a thief would, who also asks; a signal is played by its handler's call.
template <class Queue>
task* steal_from(Queue& q) {
    typename Queue::thief thief(q);
    const steal_result r = thief.steal();
    if constexpr (requires { Queue::needs_signal; })
        if (r.status == steal_status::private_work)
            thief.ask();
    return r.stolen;
}

template <class Queue>
class local_queue_test : public testing::Test {};
using local_queues = testing::Types<mutex_deque, chase_lev, abp, split, split_signal>;
TYPED_TEST_SUITE(local_queue_test, local_queues);

TYPED_TEST(local_queue_test, owner_takes_the_newest_thief_the_oldest) {
    TypeParam q;
    typename TypeParam::owner owner(q);
    counted t[3];
    EXPECT_EQ(owner.pop(), nullptr);
    for (auto& x : t)
        ASSERT_TRUE(owner.push(x));
    EXPECT_TRUE(q.has_tasks());
    if constexpr (requires { TypeParam::needs_signal; }) {
        EXPECT_EQ(typename TypeParam::thief(q).steal().status, steal_status::private_work);
        owner.expose();
    }
    EXPECT_EQ(steal_from(q), &t[0]);
    EXPECT_FALSE(owner.pop(t[1]));
    EXPECT_TRUE(owner.pop(t[2]));
    EXPECT_EQ(owner.pop(), &t[1]);
    EXPECT_EQ(owner.pop(), nullptr);
    EXPECT_FALSE(owner.pop(t[0]));
    EXPECT_TRUE(q.is_empty());
    EXPECT_EQ(typename TypeParam::thief(q).steal().status, steal_status::empty);
}

// A thief that has seen the oldest task gets that one, or none.
TYPED_TEST(local_queue_test, a_thief_takes_the_task_that_it_saw) {
    TypeParam q;
    typename TypeParam::owner owner(q);
    typename TypeParam::thief thief(q);
    counted t[3];
    const auto push = [&](task& one) {
        ASSERT_TRUE(owner.push(one));
        if constexpr (requires { TypeParam::needs_signal; }) {
            EXPECT_FALSE(q.is_public(q.oldest_place())) << "its place may be used again";
            owner.expose();
            EXPECT_TRUE(q.is_public(q.oldest_place()));
        }
    };
    push(t[0]);
    const auto first = q.oldest_place();
    EXPECT_LT(first, q.next_place());
    ASSERT_TRUE(owner.push(t[1]));
    EXPECT_EQ(q.oldest_place(), first) << "the newer task lies behind it";
    EXPECT_EQ(owner.pop(), &t[1]);
    EXPECT_EQ(owner.pop(), &t[0]);
    push(t[2]);
    EXPECT_NE(thief.steal(first).status, steal_status::success) << "a newer task lies there";
    EXPECT_LT(first, q.oldest_place());
    EXPECT_EQ(thief.steal(q.oldest_place()).stolen, &t[2]);
}

// An owner that pushes and pops, thieves that steal: every task is taken once, and what found no room by the owner.
TYPED_TEST(local_queue_test, nothing_lost_nothing_twice_under_contention) {
    constexpr int rounds = 200, per_round = 100, thieves = 2;
    TypeParam q = small<TypeParam>();
    typename TypeParam::owner owner(q);
    std::vector<counted> tasks(rounds * per_round);
    const auto take = [](task* t) {
        if (t)
            static_cast<counted*>(t)->taken.fetch_add(1);
        return t != nullptr;
    };
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < thieves; ++i)
        threads.emplace_back([&] {
            while (!stop.load())
                take(steal_from(q));
        });
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < per_round; ++i) {
            counted& t = tasks[static_cast<std::size_t>(r * per_round + i)];
            if (!owner.push(t))
                take(&t);
            if constexpr (requires { TypeParam::needs_signal; })
                if (i % 7 == 0)
                    owner.expose();
            if (i % 3 == 0)
                take(owner.pop());
            else if (i % 3 == 1 && owner.pop(t))
                take(&t);
        }
        while (take(owner.pop())) {
        }
    }
    stop = true;
    for (auto& t : threads)
        t.join();
    while (take(owner.pop())) {
    }
    EXPECT_TRUE(q.is_empty());
    for (const auto& t : tasks)
        ASSERT_EQ(t.taken.load(), 1);
}

TEST(chase_lev, grows_and_keeps_order_across_the_wrap) {
    chase_lev q(2);
    std::vector<counted> t(1000);
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(chase_lev::owner(q).push(t[0]));
        EXPECT_EQ(chase_lev::thief(q).steal().stolen, &t[0]);
    }
    for (auto& x : t)
        ASSERT_TRUE(chase_lev::owner(q).push(x));
    for (std::size_t i = 0; i < 500; ++i)
        EXPECT_EQ(chase_lev::thief(q).steal().stolen, &t[i]);
    for (std::size_t i = 1000; i-- > 500;)
        EXPECT_EQ(chase_lev::owner(q).pop(), &t[i]);
    EXPECT_TRUE(q.is_empty());
}

TEST(chase_lev, shrinks_when_it_is_often_empty_and_grows_again) {
    chase_lev q(64, 3);
    std::vector<counted> t(5000);
    for (int round = 0; round < 3; ++round) {
        for (auto& x : t)
            ASSERT_TRUE(chase_lev::owner(q).push(x));
        EXPECT_EQ(q.capacity(), 8192u);
        for (std::size_t i = t.size(); i-- > 0;)
            ASSERT_EQ(chase_lev::owner(q).pop(), &t[i]);
        for (int i = 0; i < 3 * 7; ++i) {
            EXPECT_GT(q.capacity(), 64u);
            EXPECT_EQ(chase_lev::owner(q).pop(), nullptr);
        }
        EXPECT_EQ(q.capacity(), 64u);
    }
}

TEST(abp, says_when_it_is_full_until_it_was_empty) {
    abp q(2);
    counted t[3];
    EXPECT_TRUE(abp::owner(q).push(t[0]));
    EXPECT_TRUE(abp::owner(q).push(t[1]));
    EXPECT_FALSE(abp::owner(q).push(t[2]));
    EXPECT_EQ(abp::thief(q).steal().stolen, &t[0]);
    EXPECT_FALSE(abp::owner(q).push(t[2]));
    EXPECT_EQ(abp::owner(q).pop(), &t[1]);
    EXPECT_TRUE(abp::owner(q).push(t[2]));
    EXPECT_EQ(abp::thief(q).steal().stolen, &t[2]);
}

TEST(split, exposes_as_much_as_it_should) {
    EXPECT_EQ(expose_one::of(0), 0);
    EXPECT_EQ(expose_one::of(5), 1);
    EXPECT_EQ(expose_spare::of(1), 0);
    EXPECT_EQ(expose_spare::of(2), 1);
    EXPECT_EQ(expose_half::of(1), 1);
    EXPECT_EQ(expose_half::of(2), 1);
    EXPECT_EQ(expose_half::of(3), 2);
    EXPECT_EQ(expose_half::of(8), 4);
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

// It lies in one place then, whatever becomes of it there.
TEST(task_proxy, withdrawn_from_a_place_it_goes_to_who_comes_from_the_other) {
    counted t;
    for (const auto& [gone, other] : {std::pair{task_proxy::queue, task_proxy::mailbox},
                                      std::pair{task_proxy::mailbox, task_proxy::queue}}) {
        auto* p = new task_proxy(t, run_nothing);
        task_proxy::withdraw(*p, gone);
        EXPECT_EQ(task_proxy::take(*p, other), &t);  // and is freed
        auto* taken = new task_proxy(t, run_nothing);
        EXPECT_EQ(task_proxy::take(*taken, other), &t);
        task_proxy::withdraw(*taken, gone);  // frees it
    }
}

TEST(mailbox, a_full_one_takes_no_more) {
    counted t;
    basic_mailbox<machine::atomics, 4> box;
    std::vector<std::unique_ptr<task_proxy>> p;
    for (int i = 0; i < 5; ++i)
        p.push_back(std::make_unique<task_proxy>(t, run_nothing));
    for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 0; i < 4; ++i)
            EXPECT_TRUE(box.send(*p[i]));
        EXPECT_FALSE(box.send(*p[4]));
        EXPECT_EQ(box.receive(), p[0].get());
        EXPECT_TRUE(box.send(*p[4]));
        for (std::size_t i = 1; i < 5; ++i)
            EXPECT_EQ(box.receive(), p[i].get());
        EXPECT_EQ(box.receive(), nullptr);
    }
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
                while (!box.send(*all[static_cast<std::size_t>(s * each + n)]))
                    std::this_thread::yield();
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
