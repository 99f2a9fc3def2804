// The hand-off cell: a receiver that opens, looks and closes, senders that hand off and take back.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"
#include "share/hand_off_cell.h"

namespace bough::model {
namespace {

using cell = basic_hand_off_cell<atomics>;

struct exchange_of_work {
    struct errand {
        plain<int> content{0};
        bool was_offered = false;
        int done = 0;
    };

    void perform(const cell::assignment& a) {
        errand& e = errands[a.first];
        check(e.content.get() == 1, "an assignment came without what belongs to it");
        check(++e.done == 1, "an assignment was done twice");
    }

    // o opens, r looks, c closes.
    void receive(const std::string& steps) {
        for (const char step : steps) {
            std::optional<cell::assignment> got;
            if (step == 'o')
                place.open();
            else
                got = step == 'r' ? place.receive() : place.close();
            if (got)
                perform(*got);
        }
    }

    // o hands off the next of [first, last), t takes the newest back, if nobody has begun it.
    void send(const std::string& steps, std::size_t first, std::size_t last) {
        cell::ticket newest = 0;
        for (const char step : steps) {
            if (step == 'o' && first != last) {
                errand& e = errands[first];
                e.content.set(1);
                cell::assignment a;
                a.first = first++;
                if (const auto ticket = place.try_hand_off(a)) {
                    e.was_offered = true;
                    newest = *ticket;
                }
            } else if (step == 't' && newest != 0) {
                if (const auto own = place.revoke(newest))
                    perform(*own);
            }
        }
    }

    cell place;
    std::array<errand, 4> errands;
};

// What the receiver does, that before a bar before there are threads; what each sender does.
program exchanges(const std::string& receiver, const std::vector<std::string>& senders) {
    const std::size_t bar = receiver.find('|');
    const std::string before = receiver.substr(0, bar), steps = receiver.substr(bar + 1);
    return [=](run& r) {
        auto e = std::make_shared<exchange_of_work>();
        e->receive(before);
        r.thread([=] { e->receive(steps); });
        for (std::size_t i = 0; i < senders.size(); ++i)
            r.thread([=] { e->send(senders[i], i * 2, i * 2 + 2); });
        r.finally([=] {
            e->receive("c");
            for (const auto& errand : e->errands)
                check(errand.done == (errand.was_offered ? 1 : 0), "an assignment was lost");
            check(!e->place.is_waiting(), "a closed cell waits");
        });
    };
}

TEST(model_hand_off, each_access_matters) {
    const tolerated accepted{};
    const std::vector<std::string> all_files;
    each_access_matters({exchanges("o|rorc", {"oo"}), exchanges("o|ror", {"oto"}),
                         exchanges("o|rc", {"o", "o"}), exchanges("o|ror", {"ot", "o"}),
                         exchanges("o|cor", {"ot"})},
                        accepted, all_files, {"revoke"});
}

}  // namespace
}  // namespace bough::model
