// Every execution of an owner and thieves on each local queue, at capacities of two to four; and every memory order
// weakened in turn.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "model/atomics.h"
#include "model/mutants.h"
#include "queue/abp.h"
#include "queue/chase_lev.h"
#include "queue/split.h"

namespace bough::model {
namespace {

struct model_task : task {
    plain<int> content{0};
    int taken = 0;
    int pushed = 0;
};

void take(task* t) {
    auto& taken = static_cast<model_task&>(*t);
    check(taken.content.get() == 1, "a task came without its content");
    check(++taken.taken == 1, "a task was taken twice");
}

template <class Queue>
constexpr bool is_split = requires { Queue::needs_signal; };

template <class Queue>
struct state {
    template <class... A>
    explicit state(A... arguments) : queue(arguments...) {}

    bool push() {
        model_task& t = tasks[used++];
        t.content.set(1);
        if (!typename Queue::owner(queue).push(t))
            return false;
        t.pushed = 1;
        newest.push_back(&t);
        return true;
    }
    void pop() {
        task* t = typename Queue::owner(queue).pop();
        attend();
        if (!t)
            return newest.clear();
        check(!newest.empty() && newest.back() == t, "not the newest task");
        newest.pop_back();
        take(t);
    }
    void pop_newest() {
        if (newest.empty())
            return;
        model_task* const t = newest.back();
        newest.pop_back();
        const bool is_mine = typename Queue::owner(queue).pop(*t);
        attend();
        if (is_mine)
            take(t);
        else
            newest.clear();
    }
    void attend() {
        if constexpr (is_split<Queue>)
            typename Queue::owner(queue).attend();
    }
    void do_all(const std::string& steps) {
        for (const char step : steps)
            switch (step) {
            case '+':
                push();
                break;
            case '-':
                pop();
                break;
            case '=':
                pop_newest();
                break;
            default:
                if constexpr (is_split<Queue>)
                    typename Queue::owner(queue).expose();
            }
    }
    void steal(unsigned times) {
        while (times-- != 0) {
            const steal_result r = typename Queue::thief(queue).steal();
            check((r.status == steal_status::success) == (r.stolen != nullptr), "success without a task");
            if (r.stolen)
                take(r.stolen);
            else if constexpr (is_split<Queue>)
                if (r.status == steal_status::private_work && typename Queue::thief(queue).ask() &&
                    Queue::needs_signal)
                    raise_signal(0);
        }
    }

    Queue queue;
    std::array<model_task, 4> tasks;
    std::size_t used = 0;
    std::vector<model_task*> newest;  // what the owner has pushed and, as far as it knows, nobody has taken
};

// `script`: what the owner does, that before a bar before there are threads. + pushes, - pops, = pops the newest if it
// is still there, x exposes. As many steals a thief.
template <class Queue, class... A>
program play(const std::string& script, std::vector<unsigned> thieves, A... arguments) {
    const std::size_t bar = script.find('|');
    const std::string before = script.substr(0, bar), steps = script.substr(bar + 1);
    return [=](run& r) {
        auto s = std::make_shared<state<Queue>>(arguments...);
        s->do_all(before);
        const auto plays = [s, &steps] { s->do_all(steps); };
        if constexpr (is_split<Queue>)
            r.thread(plays, [s] { typename Queue::owner(s->queue).expose(); });
        else
            r.thread(plays);
        for (const unsigned steals : thieves)
            r.thread([s, steals] { s->steal(steals); });
        r.finally([s] {
            for (std::size_t i = 0; i < s->tasks.size(); ++i)
                if (task* t = typename Queue::owner(s->queue).pop())
                    take(t);
            for (const model_task& t : s->tasks)
                check(t.taken == t.pushed, "a task was lost");
            check(s->queue.is_empty(), "not empty");
        });
    };
}

template <class Queue>
std::vector<program> plays(std::vector<const char*> owners, std::vector<std::vector<unsigned>> thieves) {
    std::vector<program> all;
    for (const char* owner : owners)
        for (const auto& t : thieves)
            all.push_back(play<Queue>(owner, t, 2u, 1u));
    return all;
}

// The owner pushes and looks whether somebody sleeps; a thread that is about to sleep says so and looks for work.
template <class Queue, class... A>
program sleeps(A... arguments) {
    return [=](run& r) {
        struct sleeper : state<Queue> {
            using state<Queue>::state;
            atomic<bool> sleeps{false};
            bool is_called = false;
            bool saw_work = false;
        };
        auto s = std::make_shared<sleeper>(arguments...);
        r.thread([s] {
            s->push();
            s->is_called = s->sleeps.load(std::memory_order_relaxed);
        });
        r.thread([s] {
            s->sleeps.store(true, std::memory_order_relaxed);
            atomics::heavy_fence();
            s->saw_work = !s->queue.is_empty();
        });
        r.finally([s] { check(s->is_called || s->saw_work, "a wake-up is lost"); });
    };
}

// What a thief has asked for in vain is_empty() leaves out, and what it never gets. So an owner that gives it away, in
// a pop or because it goes, looks whether somebody sleeps, as after a push.
template <class Queue, class... A>
program gives_away(bool goes, A... arguments) {
    return [=](run& r) {
        struct sleeper : state<Queue> {
            using state<Queue>::state;
            atomic<bool> sleeps{false};
            bool has_given = false;
            bool is_called = false;
            bool saw_work = false;
        };
        auto s = std::make_shared<sleeper>(arguments...);
        s->push();
        typename Queue::thief(s->queue).ask();
        r.thread([s, goes] {
            typename Queue::owner owner(s->queue);
            s->has_given = goes ? owner.expose_all() : owner.attend();
            if (s->has_given)
                s->is_called = s->sleeps.load(std::memory_order_relaxed);
        });
        r.thread([s] {
            s->sleeps.store(true, std::memory_order_relaxed);
            atomics::heavy_fence();
            s->saw_work = !s->queue.is_empty();
        });
        r.finally([s] {
            check(s->has_given, "nothing was given");
            check(s->is_called || s->saw_work, "a wake-up is lost");
        });
    };
}

// One who asks gets something, and the next one may ask again.
template <class Queue, class... A>
program exposes(A... arguments) {
    return [=](run& r) {
        auto s = std::make_shared<state<Queue>>(arguments...);
        r.finally([s] {
            typename Queue::thief thief(s->queue);
            s->push();
            check(thief.steal().status == steal_status::private_work, "nothing private");
            check(thief.ask() && !thief.ask(), "asked twice");
            if (Queue::needs_signal) {
                typename Queue::owner(s->queue).expose();
                check(thief.ask(), "still asked, although something was exposed");
            }
            s->push();
            check(thief.steal().status == steal_status::success, "nothing exposed");
            check(thief.ask(), "still asked");
            s->push();
            check(thief.ask(), "still asked, although there is more now");
        });
    };
}

// Another thread becomes the owner, in local_queue's order, while somebody asks: he knows the new one, or others may
// ask.
template <class Queue, class... A>
program changes_hands(A... arguments) {
    return [=](run& r) {
        struct owned : state<Queue> {
            using state<Queue>::state;
            atomic<int> owner{1};
            int asked = 0;
        };
        auto s = std::make_shared<owned>(arguments...);
        r.thread([s] {
            s->owner.store(2, std::memory_order_relaxed);
            typename Queue::owner(s->queue).forget_asks();
        });
        r.thread([s] {
            if (typename Queue::thief(s->queue).ask())
                s->asked = s->owner.load(std::memory_order_relaxed);
        });
        r.finally([s] {
            check(s->asked != 1 || typename Queue::thief(s->queue).ask(), "only the former owner was asked");
        });
    };
}

// Of each script two thieves that steal once, and one that steals twice.
template <class Queue, class... A>
std::vector<program> plays(const std::vector<std::string>& scripts, A... arguments) {
    std::vector<program> all{sleeps<Queue>(arguments...)};
    for (const std::string& script : scripts) {
        all.push_back(play<Queue>(script, {2}, arguments...));
        all.push_back(play<Queue>(script, {1, 1}, arguments...));
    }
    if constexpr (is_split<Queue>) {
        for (const auto& more : {exposes<Queue, A...>, changes_hands<Queue, A...>})
            all.push_back(more(arguments...));
        // What a signal brings is_empty() counts, but for the conservative queue's last task (below).
        if (!Queue::needs_signal)
            for (const bool goes : {true, false})
                all.push_back(gives_away<Queue, A...>(goes, arguments...));
    }
    return all;
}

using chase_lev = basic_chase_lev<atomics>;
using abp = basic_abp<atomics>;
using split = basic_split<atomics, expose_one, exposure::by_owner>;
using split_signal = basic_split<atomics, expose_one, exposure::by_signal>;
using split_spare = basic_split<atomics, expose_spare, exposure::by_signal>;
using split_half = basic_split<atomics, expose_half, exposure::by_signal>;

// Of all queues. A cell is read by a thief and used again by the owner: with less order the load could read what the
// owner stores later, a load that reads from the future, which the explorer does not have. And is_empty() is called by
// threads that raise the alarm, whose fence does as well, and by others.
const tolerated of_any{{"steal compare_exchange to relaxed", "reads from the future"},
                       {"is_empty load to acquire", "the alarm's fence"},
                       {"is_empty load to relaxed", "the alarm's fence"},
                       {"is_empty load 2 to acquire", "the alarm's fence"},
                       {"is_empty load 2 to relaxed", "the alarm's fence"}};

// Push takes what it reads of top at a place that depends on the queue.
tolerated of_rings(const char* acquires_top) {
    tolerated all = of_any;
    all[acquires_top] = "reads from the future";
    all["use store left out"] = "there would be no ring at all";
    all["forget store left out"] = "a ring that is given up may keep what it held";
    return all;
}

TEST(model_chase_lev, each_access_matters) {
    each_access_matters(plays<chase_lev>({"++|--", "+|-+-", "++|=+-", "|++", "++|+", "+++|---+"}, 2u, 1u),
                        of_rings("push_if_room load 2 to relaxed"));
}

TEST(model_abp, each_access_matters) {
    tolerated of_abp = of_any;
    of_abp["push load 2 to relaxed"] = "reads from the future";
    std::vector<program> all = plays<abp>({"++|--", "+|-+-", "++|=+-", "|++"}, 3u);
    all.push_back(play<abp>("++|+", {3}, 2u));  // begins anew when it is full and all is stolen
    all.push_back(play<abp>("++|+-", {2}, 2u));
    all.push_back(play<abp>("++|-", {3}, 3u));
    each_access_matters(all, of_abp);
}
struct age_without_tag : abp_age {
    age_without_tag next() const { return {{top + 1, 0}}; }
    age_without_tag anew() const { return {{0, 0}}; }
};

// A thief sleeps before its CAS, while the owner empties the queue and fills it again.
TEST(model_abp, the_tag_matters) {
    const std::string script = "+|-+";
    EXPECT_TRUE(explore(play<abp>(script, {1}, 3u)).is_complete);
    EXPECT_NE(explore(play<basic_abp<atomics, age_without_tag>>(script, {1}, 3u)).failure, "");
}

// A push's store of bottom is ordered for the sake of parts of loops, which no program here has.
tolerated of_split() {
    tolerated all = of_rings("push load 2 to relaxed");
    all["push store 2 to relaxed"] = "no part of a loop comes before the push";
    return all;
}

TEST(model_split, each_access_matters) {
    each_access_matters(plays<split>({"++xx|--", "++x|--+", "+|+-", "|++", "++x|+", "+++x|--"}, 2u, 1u),
                        of_split());
}
TEST(model_split_signal, each_access_matters) {
    each_access_matters(plays<split_signal>({"++xx|--", "++x|--+", "+|-+", "|++", "++x|+"}, 2u, 1u),
                        of_split());
}

// Conservative and half differ in how much they expose only.
template <class Queue>
void holds(const std::vector<std::string>& scripts) {
    for (const std::string& script : scripts)
        for (const std::vector<unsigned>& thieves : {std::vector{2u}, std::vector{1u, 1u}}) {
            const result r = explore(play<Queue>(script, thieves, 2u, 1u), {.preemptions = most_preemptions});
            EXPECT_EQ(r.failure, "") << testing::PrintToString(r.trace);
            EXPECT_TRUE(r.is_complete);
        }
}
TEST(model_split_spare, all_executions) {
    holds<split_spare>({"++|--", "++x|--+", "+|+-", "+++|--"});
    const result r = explore(gives_away<split_spare>(true, 2u, 1u), {.preemptions = most_preemptions});
    EXPECT_EQ(r.failure, "") << testing::PrintToString(r.trace);
    EXPECT_TRUE(r.is_complete);
}
TEST(model_split_half, all_executions) {
    holds<split_half>({"++|--", "+++x|--", "+++|-+", "+|+-"});
}

}  // namespace
}  // namespace bough::model
