// The mailbox and the proxy under every interleaving, with every access weakened in turn.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "mail/mailbox.h"
#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"

namespace bough::model {
namespace {

struct letter : basic_task_proxy<atomics> {
    letter() : basic_task_proxy(none(), nullptr) {}
    static task& none() {
        static task t;
        return t;
    }
    plain<int> content{0};
    int sender = 0;
    int number = 0;
    bool sent = false;
    int received = 0;
};

using box = basic_mailbox<atomics, 2>;

struct post_office {
    // The letters of one sender; one that finds the box full keeps it.
    void send(int sender, int first, int last) {
        for (int i = first; i < last; ++i) {
            letter& l = letters[static_cast<std::size_t>(i)];
            l.content.set(1);
            l.sender = sender;
            l.number = i;
            l.sent = mail.send(l);
        }
    }
    void receive(int times) {
        while (times-- > 0) {
            auto* l = static_cast<letter*>(mail.receive());
            if (!l)
                continue;
            check(l->content.get() == 1, "a letter came without its content");
            check(++l->received == 1, "a letter came twice");
            int& last = newest[static_cast<std::size_t>(l->sender)];
            check(l->number > last, "out of order");
            last = l->number;
        }
    }

    box mail;
    std::array<letter, 4> letters;
    std::array<int, 2> newest{-1, -1};
};

// Letters of two senders, and how often the receiver looks while they write; then it takes what is left.
program office(int of_first, int of_second, int looks) {
    return [=](run& r) {
        auto o = std::make_shared<post_office>();
        r.thread([=] { o->send(0, 0, of_first); });
        if (of_second != 0)
            r.thread([=] { o->send(1, of_first, of_first + of_second); });
        r.thread([=] { o->receive(looks); });
        r.finally([=] {
            o->receive(4);
            for (const letter& l : o->letters)
                check(l.received == (l.sent ? 1 : 0), "a letter was lost, or came unsent");
            check(!o->mail.has_mail(), "not empty");
        });
    };
}

TEST(model_mailbox, each_access_matters) {
    const tolerated accepted{
        {"send load 2 to relaxed", "reads from the future: the receiver's null over the next letter"},
        {"receive store 2 to relaxed", "the same"}};
    each_access_matters({office(3, 0, 3), office(2, 1, 2), office(1, 1, 2), office(4, 0, 2)}, accepted);
}

// ---- the proxy ----

using proxy = basic_task_proxy<mortal_atomics>;

// A task behind a proxy that lies in two places; each of two threads takes it out of one, or finds that it did not get
// there.
struct in_two_places {
    struct content : task {
        plain<int> value{0};
        int ran = 0;
    };

    in_two_places() {
        work.value.set(1);
        proxied = new (room) proxy(work, nullptr);
    }
    void take(proxy::place from) {
        if (task* t = proxy::take(*proxied, from)) {
            check(t == &work, "another task");
            check(work.value.get() == 1, "a task came without its content");
            ++work.ran;
        }
    }

    content work;
    proxy* proxied;
    alignas(proxy) std::byte room[sizeof(proxy)];
};

program taken_twice() {
    return [](run& r) {
        auto p = std::make_shared<in_two_places>();
        r.thread([p] { p->take(proxy::queue); });
        r.thread([p] { p->take(proxy::mailbox); });
        r.finally([p] { check(p->work.ran == 1, "not run once"); });
    };
}
program taken_and_withdrawn() {
    return [](run& r) {
        auto p = std::make_shared<in_two_places>();
        r.thread([p] { p->take(proxy::queue); });
        r.thread([p] { proxy::withdraw(*p->proxied, proxy::mailbox); });
        r.finally([p] { check(p->work.ran == 1, "not run once"); });
    };
}

TEST(model_proxy, each_access_matters) {
    each_access_matters({taken_twice(), taken_and_withdrawn()}, {});
}

}  // namespace
}  // namespace bough::model
