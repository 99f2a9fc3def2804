// Termination as a manager sees it, with three workers: nothing is left when it says so, and it does say so.

#include <gtest/gtest.h>

#include <memory>

#include "channel/idle_census.h"
#include "channel/mpsc.h"
#include "channel/spsc.h"
#include "model/atomics.h"
#include "model/explorer.h"

namespace bough::model {
namespace {

// What is wrong in a mutant.
enum class fault { none, update_after_the_task, no_update, count_before_the_message, a_channel_for_updates };

// K manages and is idle. It knows that I is idle, and has passed I's request on to J, which has one task left.
class three_workers {
public:
    static constexpr std::uint16_t i = 0, j = 1, k = 2;

    explicit three_workers(fault planted) : planted_(planted) {
        known_.note({idle_message::kind::idle, k});
        known_.note({idle_message::kind::idle, i});
    }

    // J sends its task to I, and is idle.
    void give() {
        if (planted_ == fault::count_before_the_message)
            tell({idle_message::kind::idle, j});
        if (planted_ != fault::no_update && planted_ != fault::update_after_the_task)
            tell({idle_message::kind::update, i});
        inbox_.send(1);
        if (planted_ == fault::update_after_the_task)
            tell({idle_message::kind::update, i});
        if (planted_ != fault::count_before_the_message)
            tell({idle_message::kind::idle, j});
    }
    // I runs the task if it has come, and is idle.
    void take() {
        if (has_run_ || !inbox_.peek())
            return;
        inbox_.receive();
        result_.set(1);
        has_run_ = true;
        tell({idle_message::kind::idle, i});
    }
    // K looks.
    void count(int times) {
        while (times-- > 0) {
            std::uint64_t m = requests_.receive();
            if (m == 0)
                m = updates_.receive();
            if (m == 0)
                continue;
            known_.note(idle_message::of(m));
            if (known_.are_all_idle())
                check(result_.get() == 1, "over, while a task is under way");
        }
    }
    void end() {
        take();
        count(4);
        check(known_.are_all_idle(), "the end is never seen");
    }

private:
    void tell(idle_message m) {
        const bool apart = planted_ == fault::a_channel_for_updates && m.what == idle_message::kind::update;
        check((apart ? updates_ : requests_).try_send(m.bits()) == sent::yes, "no room");
    }

    const fault planted_;
    basic_mpsc_channel<atomics, 4> requests_{true}, updates_{true};
    basic_spsc_channel<atomics, int, 2> inbox_{true};
    idle_census<3> known_;
    plain<int> result_{0};
    bool has_run_ = false;
};

program termination(fault planted) {
    return [=](run& r) {
        auto all = std::make_shared<three_workers>(planted);
        r.thread([=] { all->give(); });
        r.thread([=] { all->take(); });
        r.thread([=] { all->count(3); });
        r.finally([=] { all->end(); });
    };
}

TEST(model_idle_census, says_the_end_when_nothing_is_left) {
    const result whole = explore(termination(fault::none));
    EXPECT_EQ(whole.failure, "") << testing::PrintToString(whole.trace);
    EXPECT_TRUE(whole.is_complete);
}

TEST(model_idle_census, mutants_are_noticed) {
    for (const fault f : {fault::update_after_the_task, fault::no_update, fault::count_before_the_message,
                          fault::a_channel_for_updates})
        EXPECT_NE(explore(termination(f)).failure, "") << static_cast<int>(f);
}

}  // namespace
}  // namespace bough::model
