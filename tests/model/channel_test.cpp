// Channels in every execution of small programs, with every access weakened in turn.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "channel/mpsc.h"
#include "channel/spsc.h"
#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"
#include "park/alarm.h"

namespace bough::model {
namespace {

// ---- many senders ----

struct requests {
    void send(std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t m = first; m <= last; ++m) {
            content[m].set(1);
            was_sent[m] = channel.try_send(m) == sent::yes;
        }
    }
    void take(std::uint64_t m) {
        check(content[m].get() == 1, "a message came without what its sender did before");
        check(++taken[m] == 1, "a message came twice");
        check(m < 3 || newest_of_second < m, "out of order");
        check(m >= 3 || newest_of_first < m, "out of order");
        (m < 3 ? newest_of_first : newest_of_second) = m;
    }
    void receive(int times) {
        while (times-- > 0)
            if (const std::uint64_t m = channel.receive())
                take(m);
    }
    void close() {
        channel.close();
        while (const std::uint64_t m = channel.receive_last())
            take(m);
        is_closed = true;
    }
    void end() {
        if (!is_closed)
            receive(5);
        for (std::size_t m = 1; m < taken.size(); ++m)
            check(taken[m] == (was_sent[m] ? 1 : 0), "a message was lost, or came unsent");
        check(channel.receive() == 0, "a message came after the close");
    }

    basic_mpsc_channel<atomics, 2> channel{true};
    std::array<plain<int>, 5> content;
    std::array<bool, 5> was_sent{};
    std::array<int, 5> taken{};
    std::uint64_t newest_of_first = 0, newest_of_second = 0;  // messages 1 and 2; 3 and 4
    bool is_closed = false;
};

// Messages of two senders, and how often the receiver looks while they write. Then it closes, or takes what is left.
program senders(std::uint64_t of_first, std::uint64_t of_second, int looks, bool closes) {
    return [=](run& r) {
        auto c = std::make_shared<requests>();
        if (of_first != 0)
            r.thread([=] { c->send(1, of_first); });
        if (of_second != 0)
            r.thread([=] { c->send(3, 2 + of_second); });
        r.thread([=] {
            c->receive(looks);
            if (closes)
                c->close();
        });
        r.finally([=] { c->end(); });
    };
}

// A sends, then tells B, which sends: the receiver gets A's message first.
program one_causes_the_other() {
    return [](run& r) {
        auto c = std::make_shared<requests>();
        auto told = std::make_shared<atomic<int>>(0);
        r.thread([=] {
            c->send(1, 1);
            told->store(1, std::memory_order_release);
        });
        r.thread([=] {
            if (told->load(std::memory_order_acquire) == 1)
                c->send(3, 3);
        });
        r.thread([=] {
            const std::uint64_t first = c->channel.receive();
            check(first != 3, "the effect came before its cause");
            if (first != 0)
                c->take(first);
        });
        r.finally([=] { c->end(); });
    };
}

// A receiver is asked, gets more work and answers, while a thread parks.
struct parking {
    bool sees_work() const { return channel.is_open_and_empty(); }
    void park() {
        watching.raise();
        stays = sees_work();
    }
    void call_if_unwatched() {
        if (watching.is_raised() && watching.answer() == alarm_state::raised)
            is_called = true;
    }

    explicit parking(bool is_open) : channel(is_open) { watching.lower(); }
    basic_mpsc_channel<atomics, 2> channel;
    basic_alarm<atomics> watching;
    bool is_called = false, stays = false;
};

program opens_while_one_parks() {
    return [](run& r) {
        auto p = std::make_shared<parking>(false);
        r.thread([=] {
            p->channel.open();
            p->call_if_unwatched();
        });
        r.thread([=] { p->park(); });
        r.finally([=] { check(p->is_called || p->stays, "the open channel is forgotten"); });
    };
}
program answers_while_one_parks() {
    return [](run& r) {
        auto p = std::make_shared<parking>(true);
        p->channel.try_send(1);
        r.thread([=] {
            check(p->channel.receive() == 1, "not what was sent");
            atomics::light_fence();
            p->call_if_unwatched();
        });
        r.thread([=] { p->park(); });
        r.finally([=] { check(p->is_called || p->stays, "the work that is left is forgotten"); });
    };
}

TEST(model_mpsc_channel, each_access_matters) {
    const char* const future = "reads from the future: the receiver's 0 over the next message";
    const char* const fenced = "the heavy fence of the alarm's raise does as well";
    // The explorer orders operations as they are executed (README.md).
    const char* const late = "needs a store that is seen late, which the explorer does not have";
    const tolerated accepted{{"try_send load 2 to relaxed", future},
                             {"receive store 2 to relaxed", future},
                             {"is_open_and_empty load to acquire", fenced},
                             {"is_open_and_empty load to relaxed", fenced},
                             {"is_open_and_empty load 2 to acquire", fenced},
                             {"is_open_and_empty load 2 to relaxed", fenced},
                             {"open add to acq_rel", late},
                             {"open add to acquire", late},
                             {"open add to release", late},
                             {"open add to relaxed", late}};
    each_access_matters({senders(2, 0, 2, false), senders(2, 0, 1, true), senders(1, 1, 1, true),
                         senders(2, 1, 2, false), one_causes_the_other(), opens_while_one_parks(),
                         answers_while_one_parks()},
                        accepted, {"mpsc.h"});
}

// ---- one sender ----

struct tasks {
    void send(int first, int last) {
        for (int i = first; i <= last; ++i)
            was_sent[static_cast<std::size_t>(i)] = channel.send(i) == sent::yes;
    }
    void receive() {
        if (!channel.peek())
            return;
        const int m = channel.receive();
        check(m == newest + 1 || !was_sent_between(m), "out of order, or lost");
        newest = m;
        check(++taken[static_cast<std::size_t>(m)] == 1, "a message came twice");
    }
    // Was a message sent that should have come before m?
    bool was_sent_between(int m) const {
        for (int i = newest + 1; i < m; ++i)
            if (was_sent[static_cast<std::size_t>(i)])
                return true;
        return false;
    }
    void close() {
        channel.close();
        receive();
        receive();
        is_closed = true;
    }
    void end() {
        if (!is_closed)
            for (int i = 0; i < 3; ++i)
                receive();
        for (std::size_t m = 1; m < taken.size(); ++m)
            check(taken[m] == (was_sent[m] ? 1 : 0), "a message was lost, or came unsent");
        check(channel.peek() == nullptr, "a message came after the close");
    }

    basic_spsc_channel<atomics, int, 2> channel{true};
    std::array<bool, 4> was_sent{};
    std::array<int, 4> taken{};
    int newest = 0;
    bool is_closed = false;
};

program one_sender(int messages, int looks, bool closes) {
    return [=](run& r) {
        auto c = std::make_shared<tasks>();
        r.thread([=] { c->send(1, messages); });
        r.thread([=] {
            for (int i = 0; i < looks; ++i)
                c->receive();
            if (closes)
                c->close();
        });
        r.finally([=] { c->end(); });
    };
}

// The receiver gives up and begins again. Between these the sender may be interrupted.
program opens_again() {
    return [](run& r) {
        auto c = std::make_shared<tasks>();
        r.thread([=] { c->send(1, 2); });
        r.thread([=] {
            c->channel.close();
            c->receive();
            c->channel.open();
            c->receive();
        });
        r.finally([=] { c->end(); });
    };
}

// The receiver asks by a message; what it asked may go from thread to thread, and each may send.
program sender_changes() {
    return [](run& r) {
        auto c = std::make_shared<tasks>();
        auto asked = std::make_shared<basic_mpsc_channel<atomics, 2>>(true);
        r.thread([=] {
            c->send(1, 1);
            asked->try_send(1);
        });
        r.thread([=] {
            if (asked->receive() == 1)
                c->send(2, 3);
        });
        r.thread([=] {
            c->receive();
            c->receive();
        });
        r.finally([=] { c->end(); });
    };
}

TEST(model_spsc_channel, each_access_matters) {
    each_access_matters({one_sender(3, 2, false), one_sender(2, 1, true), one_sender(1, 0, true),
                         opens_again(), sender_changes()},
                        {}, {"spsc.h"});
}

}  // namespace
}  // namespace bough::model
