// The join of a group: the last of its tasks, who waits for it, and sleeps in the parking lot. With the wait the group
// ends.

#include "worker/group_count.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"
#include "park/parking_lot.h"

namespace bough::model {
namespace {

struct group {
    // As detail::task_group_state's.
    bool is_done() const { return pending.load(std::memory_order_acquire) < group_count::one_task; }

    mortal_atomics::atomic<std::uint64_t> pending{0};
    std::array<plain<int>, 2> results;
};

struct place {
    explicit place(unsigned tasks) : joined(new(room) group) {
        joined->pending.fetch_add(group_count::one_task * tasks, std::memory_order_relaxed);
    }

    // A task, wherever it lay.
    void run(std::size_t task) {
        joined->results[task].set(1);
        group_count::finish(joined->pending, [this](const void* key) { where.wake_all(key); });
    }
    void steal(std::size_t task) {
        while (published.load(std::memory_order_acquire) <= task)
            atomics::pause();
        run(task);
    }
    void spawn(std::size_t task) {
        joined->pending.fetch_add(group_count::one_task, std::memory_order_relaxed);
        published.store(task + 1, std::memory_order_release);
    }

    // As wait() in worker/tasks.cpp.
    void wait(std::size_t tasks) {
        while (!joined->is_done()) {
            group_count::announce_sleep(joined->pending);
            where.sleep(&joined->pending, nullptr,
                        [this] { return joined->is_done() || !group_count::is_announced(joined->pending); });
        }
        group_count::forget_sleeper(joined->pending);
        for (std::size_t i = 0; i < tasks; ++i)
            check(joined->results[i].get() == 1, "a task is not done, or not seen");
    }
    void end() { std::destroy_at(joined); }

    basic_parking_lot<atomics> where;
    atomic<std::size_t> published{0};
    alignas(group) std::byte room[sizeof(group)];
    group* joined;
};

// Both run by others.
program two_stolen() {
    return [](run& r) {
        auto p = std::make_shared<place>(2);
        r.thread([p] { p->run(0); });
        r.thread([p] { p->run(1); });
        r.thread([p] {
            p->wait(2);
            p->end();
        });
    };
}

// One stolen, one called by who waits: counted off at once, as in join_forks().
program one_called() {
    return [](run& r) {
        auto p = std::make_shared<place>(2);
        r.thread([p] { p->run(0); });
        r.thread([p] {
            p->joined->results[1].set(1);
            p->joined->pending.fetch_sub(group_count::one_task, std::memory_order_relaxed);
            p->wait(2);
            p->end();
        });
    };
}

// A group that is used again: a bit that is left from the first wait must not end the second.
program used_again() {
    return [](run& r) {
        auto p = std::make_shared<place>(0);
        r.thread([p] {
            p->steal(0);
            p->steal(1);
        });
        r.thread([p] {
            p->spawn(0);
            p->wait(1);
            p->spawn(1);
            p->wait(2);
            p->end();
        });
    };
}

// Each takes the bit away when it is done.
program two_waiters() {
    return [](run& r) {
        auto p = std::make_shared<place>(1);
        r.thread([p] { p->run(0); });
        for (int i = 0; i < 2; ++i)
            r.thread([p] { p->wait(1); });
        r.finally([p] { p->end(); });
    };
}

// While one still waits the other has spawned again.
program two_waiters_again() {
    return [](run& r) {
        auto p = std::make_shared<place>(0);
        p->spawn(0);
        r.thread([p] { p->steal(0); });
        r.thread([p] { p->wait(1); });
        r.thread([p] {
            p->wait(1);
            p->spawn(1);
            p->run(1);
            p->wait(2);
        });
        r.finally([p] { p->end(); });
    };
}

TEST(model_group_count, each_access_matters) {
    each_access_matters({two_stolen(), one_called(), used_again(), two_waiters(), two_waiters_again()}, {},
                        {"group_count.h"});
}

}  // namespace
}  // namespace bough::model
