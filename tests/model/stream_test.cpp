// Streams of an arena: what is posted is taken once, in order, and a thread that is about to park sees it.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"
#include "park/alarm.h"
#include "queue/fifo_stream.h"

namespace bough::model {
namespace {

struct posted : task {
    plain<int> content{0};
    int poster = 0;
    int number = 0;
    int taken = 0;
};

struct place {
    void post(std::size_t i, int poster, std::uintptr_t tag) {
        posted& t = tasks[i];
        t.content.set(1);
        t.poster = poster;
        t.number = static_cast<int>(i);
        t.isolation = tag;
        stream.post(t);
    }
    bool take(std::uintptr_t tag) {
        auto* const t = static_cast<posted*>(stream.take(tag));
        if (!t)
            return false;
        check(t->content.get() == 1, "a task came without its content");
        check(++t->taken == 1, "a task was taken twice");
        check(tag == 0 || t->isolation == tag, "not its tag");
        int& newest = newest_of[static_cast<std::size_t>(t->poster)][t->isolation];
        check(t->number > newest, "out of order");
        newest = t->number;
        return true;
    }
    void take_all(std::size_t count) {
        while (take(0)) {
        }
        for (std::size_t i = 0; i < count; ++i)
            check(tasks[i].taken == 1, "a task is lost");
        check(stream.is_empty(), "not empty");
    }

    basic_fifo_stream<atomics> stream;
    std::array<posted, 3> tasks;
    std::array<std::array<int, 3>, 2> newest_of{{{-1, -1, -1}, {-1, -1, -1}}};  // by poster and tag

    basic_alarm<atomics> alarm;
    bool is_called = false;
    bool is_seen = false;

    atomics::atomic<std::uint32_t> announced{0};
};

// Two post, two take: one anything, one what has a tag.
program many() {
    return [](run& r) {
        auto p = std::make_shared<place>();
        r.thread([p] {
            p->post(0, 0, 1);
            p->post(1, 0, 2);
        });
        r.thread([p] { p->post(2, 1, 2); });
        r.thread([p] { p->take(2); });
        r.thread([p] {
            p->take(0);
            p->take(0);
        });
        r.finally([p] { p->take_all(3); });
    };
}

// A poster, and a thread that looks once more before it parks; the alarm was quiet. tag: of what it may take.
program parks(std::uintptr_t tag) {
    return [=](run& r) {
        auto p = std::make_shared<place>();
        p->alarm.lower();
        r.thread([p] {
            p->post(0, 0, 1);
            if (p->alarm.is_raised())
                p->is_called = p->alarm.answer() == alarm_state::raised;
        });
        r.thread([=] {
            p->alarm.raise();
            p->is_seen = tag == 0 ? !p->stream.is_empty() : p->stream.has_tagged(tag);
        });
        r.finally([p] { check(p->is_called || p->is_seen, "what was posted is forgotten"); });
    };
}

// A thread announces that it takes; another, which has posted, and finds nothing left, sees the announcement.
program announces() {
    return [](run& r) {
        auto p = std::make_shared<place>();
        r.thread([p] {
            p->post(0, 0, 1);
            if (p->stream.is_empty())
                check(p->announced.load(std::memory_order_relaxed) == 1,
                      "taken by a thread that is not seen");
        });
        r.thread([p] {
            p->announced.store(1, std::memory_order_relaxed);
            p->take(0);
        });
    };
}

TEST(model_fifo_stream, each_access_matters) {
    const char* const fenced = "raise() has a fence, after which the load comes";
    each_access_matters({many(), parks(0), parks(1), announces()},
                        {{"is_empty load to acquire", fenced}, {"is_empty load to relaxed", fenced}},
                        {"fifo_stream.h"});
}

}  // namespace
}  // namespace bough::model
