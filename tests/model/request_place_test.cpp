// Where a slot's request is, on the balancer of channels: one thread has it at a time, so that the inbox has one sender
// at a time, and what is sent there comes once.

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "balance/channels/request_place.h"
#include "channel/spsc.h"
#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"

namespace bough::model {
namespace {

class thief_and_victims {
public:
    // The thief asks, if it may, by way of the lobby.
    void ask() {
        if (!place_.is_with_thief())
            return;
        use_the_right();
        place_.send();
        place_.put_into_lobby(1);
    }
    // It asks another way, if nobody has the request.
    void leave() {
        if (place_.leave_lobby())
            use_the_right();
    }
    void receive() {
        if (!inbox_.peek())
            return;
        const int message = inbox_.receive();
        check(++came_[static_cast<std::size_t>(message)] == 1, "a message came twice");
    }
    // A victim takes the request and answers it, or puts it back.
    void answer(int message, bool has_something) {
        if (place_.take_out() == 0)
            return;
        use_the_right();
        if (!has_something)
            return place_.put_into_lobby(1);
        check(inbox_.send(message) == sent::yes, "the inbox is full");
        was_sent_[static_cast<std::size_t>(message)] = true;
        place_.give_back();
    }
    void end() {
        receive();
        receive();
        for (std::size_t m = 1; m < came_.size(); ++m)
            check(came_[m] == (was_sent_[m] ? 1 : 0), "a message was lost, or came unsent");
        check(place_.is_with_thief() || place_.is_in_lobby(), "the request was lost");
    }

private:
    // What only the thread that has the request may touch.
    void use_the_right() { right_.set(right_.get() + 1); }

    balancing::basic_request_place<atomics> place_;
    basic_spsc_channel<atomics, int, 2> inbox_{true};
    plain<int> right_{0};
    std::array<bool, 3> was_sent_{};
    std::array<int, 3> came_{};
};

// The thief asks, does something else, and asks again. Each of two victims may find the request, and the first one may
// put it back.
program two_victims(void (thief_and_victims::*between)(), bool first_has_something) {
    return [=](run& r) {
        auto all = std::make_shared<thief_and_victims>();
        r.thread([=] {
            all->ask();
            (all.get()->*between)();
            all->ask();
        });
        r.thread([=] { all->answer(1, first_has_something); });
        r.thread([=] { all->answer(2, true); });
        r.finally([=] { all->end(); });
    };
}

TEST(model_request_place, each_access_matters) {
    each_access_matters(
        {two_victims(&thief_and_victims::receive, true), two_victims(&thief_and_victims::leave, false)}, {},
        {"request_place.h"});
}

}  // namespace
}  // namespace bough::model
