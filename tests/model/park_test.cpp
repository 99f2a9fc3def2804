// The watcher, the alarm, those who leave, those who sleep: whatever is published is seen by somebody. And the parking
// lot.

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"
#include "park/parking_lot.h"
#include "park/watch.h"

namespace bough::model {
namespace {

// An arena where one thing is published.
struct place {
    bool has_work() const { return published.load(std::memory_order_seq_cst) != 0; }

    // As a queue's push and a part's publish do, or as streams and what was handed off.
    enum class way { fenced, sequential };
    void publish(way w) {
        if (w == way::sequential) {
            published.exchange(1, std::memory_order_seq_cst);
        } else {
            published.store(1, std::memory_order_release);
            atomics::light_fence();
        }
        if (!watch.alarm.is_quiet())
            call();
    }
    // As in worker/call.cpp.
    void call() {
        const auto answered = watch.alarm.answer();
        if (answered == alarm_state::quiet)
            return;
        if (answered == alarm_state::raised)
            ask();
        where.wake_at(this);
    }
    // Sleeps, looks, and sleeps again, as it found nothing.
    void doze() {
        watch.alarm.watcher_sleeps();
        if (!watch.doze(where, this, 1, [] { return false; }) && !has_work())
            watch.doze(where, this, 1, [] { return false; });
    }
    // As crew::request: all that are allowed look before they leave.
    void ask() { is_called = is_called || watch.workers().inside < allowed; }
    bool take() {
        int one = 1;
        return has_work() && published.compare_exchange_strong(one, 0, std::memory_order_seq_cst);
    }

    // Workers. One that watches, or is idle while nobody does, looks until it wants to go.
    bool leave(bool watches) {
        const bool gone =
            watch.try_leave(watches, [this] { return has_work(); }, [] { return false; }, [this] { call(); });
        if (!gone && watch.try_watch(1))
            stays_and_watches = true;
        return gone;
    }
    void begin_to_work(bool watches) {
        watch.stop(
            watches, [this](unsigned) { return allowed; }, [this] { return has_work(); }, [this] { call(); });
    }
    void block() {
        watch.begin_blocking([this] { return has_work(); }, [this] { ask(); });
    }

    unsigned allowed = 2;  // workers
    atomic<int> published{0};
    basic_watch<atomics> watch;
    basic_parking_lot<atomics> where;
    // What only the end asks for.
    bool is_called = false;
    bool stays_and_watches = false;
};

std::shared_ptr<place> with_watcher(int workers) {
    auto p = std::make_shared<place>();
    for (int i = 0; i < workers; ++i)
        p->watch.enter();
    check(p->watch.try_watch(1), "the role is not free");
    return p;
}

void somebody_comes(const place& p) {
    check(!p.has_work() || p.is_called || p.stays_and_watches, "what was published is forgotten");
}

using way = place::way;

program watcher_leaves(way w) {
    return [=](run& r) {
        auto p = with_watcher(1);
        r.thread([=] { p->publish(w); });
        r.thread([p] { p->leave(true); });
        r.finally([p] { somebody_comes(*p); });
    };
}

// Of two allowed workers one takes work while the other goes.
program one_works_one_leaves(way w) {
    return [=](run& r) {
        auto p = with_watcher(2);
        r.thread([=] { p->publish(w); });
        r.thread([p] { p->begin_to_work(true); });
        r.thread([p] { p->leave(false); });
        r.finally([p] { somebody_comes(*p); });
    };
}

// The same, while the other blocks.
program one_works_one_blocks(way w) {
    return [=](run& r) {
        auto p = with_watcher(2);
        r.thread([=] { p->publish(w); });
        r.thread([p] { p->begin_to_work(true); });
        r.thread([p] { p->block(); });
        r.finally([p] { somebody_comes(*p); });
    };
}

// The only one that is allowed takes work, and blocks in it.
program blocks_in_its_work(way w) {
    return [=](run& r) {
        auto p = with_watcher(1);
        p->allowed = 1;
        r.thread([=] { p->publish(w); });
        r.thread([p] {
            p->begin_to_work(true);
            p->block();
        });
        r.finally([p] {
            somebody_comes(*p);
            check(p->watch.workers().inside == 0 && p->watch.workers().all() == 1,
                  "wrong while it is blocked");
            p->watch.end_blocking();
            check(p->watch.workers().inside == 1 && p->watch.workers().all() == 1, "wrong when it is back");
        });
    };
}

// Another worker may come: one is missing while the watcher takes work.
program one_is_missing(way w) {
    return [=](run& r) {
        auto p = with_watcher(1);
        r.thread([=] { p->publish(w); });
        r.thread([p] { p->begin_to_work(true); });
        r.finally([p] { somebody_comes(*p); });
    };
}

// A caller sleeps until what is published has been taken. The only worker watches for a moment, then works for ever.
enum class watcher { is_there, comes_late, dozes };
program caller_sleeps(way w, watcher its) {
    return [=](run& r) {
        auto p = std::make_shared<place>();
        p->allowed = 1;
        p->watch.enter();
        if (its != watcher::comes_late)
            check(p->watch.try_watch(1), "the role is not free");
        r.thread([=] { p->publish(w); });
        r.thread([=] {
            if (its == watcher::dozes)
                p->doze();
            p->begin_to_work(its != watcher::comes_late || p->watch.try_watch(1));
        });
        r.thread([p] {
            while (!p->take())
                p->watch.sleep(p->where, p.get(), p.get(), [p] { return p->has_work(); });
        });
    };
}

// The watcher dozes, then goes. Its sleep may end at any time.
program watcher_dozes(way w) {
    return [=](run& r) {
        auto p = with_watcher(1);
        r.thread([=] { p->publish(w); });
        r.thread([p] {
            p->doze();
            p->leave(true);
        });
        r.finally([p] { somebody_comes(*p); });
    };
}

TEST(model_watch, each_access_matters) {
    std::vector<program> all;
    for (const way w : {way::fenced, way::sequential})
        for (const program& p :
             {watcher_leaves(w), one_works_one_leaves(w), one_works_one_blocks(w), blocks_in_its_work(w),
              one_is_missing(w), caller_sleeps(w, watcher::is_there), caller_sleeps(w, watcher::comes_late),
              caller_sleeps(w, watcher::dozes), watcher_dozes(w)})
            all.push_back(p);
    // Both fences of a pair are full ones in the model.
    const char* const fenced = "the fence beside it does as well";
    // A store that enters the order of its location later than it is executed, and a load that is done before an
    // earlier one, the explorer does not have (README.md).
    const char* const late = "needs a store or a load out of order, which the explorer does not have";
    const char* const looks = "too few are counted: an alarm more";
    tolerated known{{"lower store left out", "calls more"}};
    const auto tolerate = [&](const std::string& access, const std::vector<const char*>& orders,
                              const char* why) {
        for (const char* o : orders)
            known[access + " to " + o] = why;
    };
    const std::vector<const char*> all_weaker{"acq_rel", "acquire", "release", "relaxed"};
    tolerate("raise exchange", all_weaker, fenced);
    tolerate("sleep add", all_weaker, "the parking lot's fence comes after it");
    tolerate("answer exchange", all_weaker, late);
    tolerate("lower store", {"release", "relaxed"}, late);
    tolerate("enter add", all_weaker, looks);
    tolerate("end_blocking add", all_weaker, looks);
    tolerate("try_leave add 2", all_weaker, looks);
    tolerate("try_watch compare_exchange", all_weaker, "who misses the role looks itself");
    tolerate("try_leave store", {"release", "relaxed"},
             "who takes a leaving watcher for one that stays is outlived by its alarm");
    each_access_matters(all, known, {"watch.h", "alarm.h"}, {"raise"});
}

// ---- the parking lot ----

// A sleeper's place in the list is on its stack, gone when it goes on.
struct awaited {
    basic_parking_lot<mortal_atomics> where;
    atomic<int> value{0};
    plain<int> result{0};
};

// ready() loads as it likes.
void wait_for(awaited& a, int value) {
    while (a.value.load(std::memory_order_relaxed) < value)
        a.where.sleep(&a, nullptr, [&] { return a.value.load(std::memory_order_relaxed) >= value; });
}

program sleepers(int count, bool one_by_one) {
    return [=](run& r) {
        auto a = std::make_shared<awaited>();
        for (int i = 0; i < count; ++i)
            r.thread([a] { wait_for(*a, 1); });
        r.thread([=] {
            a->value.fetch_add(1, std::memory_order_seq_cst);
            for (int i = 0; i < (one_by_one ? count : 1); ++i)
                one_by_one ? a->where.wake_one(a.get()) : a->where.wake_all(a.get());
        });
    };
}

// Woken for another reason first, and by two at a time.
program woken_twice() {
    return [](run& r) {
        auto a = std::make_shared<awaited>();
        r.thread([a] { wait_for(*a, 2); });
        for (int i = 0; i < 2; ++i)
            r.thread([a] {
                a->value.fetch_add(1, std::memory_order_seq_cst);
                a->where.wake_all(a.get());
            });
    };
}

// Its time is up while another is woken, or is about to sleep.
program short_sleeper() {
    return [](run& r) {
        auto a = std::make_shared<awaited>();
        r.thread([a] { wait_for(*a, 1); });
        r.thread([a] { a->where.sleep(a.get(), nullptr, [] { return false; }, 0, 1); });
        r.thread([a] {
            a->value.fetch_add(1, std::memory_order_seq_cst);
            a->where.wake_all(a.get());
        });
    };
}

TEST(model_parking_lot, each_access_matters) {
    each_access_matters(
        {sleepers(1, false), sleepers(2, false), sleepers(2, true), woken_twice(), short_sleeper()}, {},
        {"parking_lot.h"});
}

}  // namespace
}  // namespace bough::model
