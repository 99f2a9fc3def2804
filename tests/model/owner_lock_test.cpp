// The lock that its owner takes without a locked instruction: what is done under it is done by one thread after the
// other.

#include "bough/detail/owner_lock.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"

namespace bough::model {
namespace {

struct fences : atomics {
    static bool try_light_fence(std::source_location at = std::source_location::current()) {
        light_fence(at);
        return true;
    }
};

struct guarded {
    void change() { content.set(content.get() + 1); }

    void as_owner() {
        lock.lock_as_owner();
        change();
        lock.unlock_as_owner();
    }
    // As a list of contexts does.
    void as_owner_quickly() {
        if (!lock.try_lock_as_owner())
            lock.lock_as_owner();
        change();
        lock.unlock_as_owner();
    }
    void as_other() {
        lock.lock_as_other();
        change();
        lock.unlock_as_other();
    }

    detail::basic_owner_lock<fences> lock;
    plain<int> content{0};
};

program owner_and_another(void (guarded::*as_owner)()) {
    return [as_owner](run& r) {
        auto g = std::make_shared<guarded>();
        r.thread([=] {
            (g.get()->*as_owner)();
            (g.get()->*as_owner)();
        });
        r.thread([g] { g->as_other(); });
        r.finally([g] { check(g->content.get() == 3, "a change is lost"); });
    };
}

program owner_and_two_others() {
    return [](run& r) {
        auto g = std::make_shared<guarded>();
        r.thread([g] { g->as_owner(); });
        r.thread([g] { g->as_other(); });
        r.thread([g] { g->as_other(); });
        r.finally([g] { check(g->content.get() == 3, "a change is lost"); });
    };
}

TEST(model_owner_lock, each_access_matters) {
    each_access_matters({owner_and_another(&guarded::as_owner), owner_and_another(&guarded::as_owner_quickly),
                         owner_and_two_others()},
                        {{"announce_other exchange to relaxed",
                          "the heavy fence acquires as well; needed by who knows of no fences"}},
                        {"owner_lock.h"}, {"lock_as_other"});
}

}  // namespace
}  // namespace bough::model
