// The turnstile of a serial stage: one token at a time, each in its turn, with all that the one before did inside.

#include "pipeline/turnstile.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bough/detail/pipeline.h"
#include "model/atomics.h"
#include "model/explorer.h"
#include "model/mutants.h"
#include "pipeline/pipeline.h"

namespace bough::model {
namespace {

// Which the tokens belong to; nobody asks it.
pipeline& no_pipeline() {
    static detail::pipeline_job job;
    static pipeline p(job);
    return p;
}

struct item : token {
    explicit item(std::uint64_t number) : token(no_pipeline()) { place = number; }
    plain<int> content{0};
    int went_through = 0;
    const item* brought_before = nullptr;  // by the same thread
};

struct stage {
    stage(turns t, std::size_t count) : order(t), entrance(t) {
        for (std::size_t i = 0; i < count; ++i)
            items.push_back(std::make_unique<item>(i));
    }

    // Whoever has a token in hand takes it through; it may have been brought by another thread.
    void bring(std::size_t i) {
        items[i]->content.set(1);
        for (token* t = entrance.arrive(*items[i]); t;) {
            auto& in = static_cast<item&>(*t);
            check(in.content.get() == 1, "a token came without its item");
            check(++in.went_through == 1, "a token was let in twice");
            const int before = inside.get();
            if (order == turns::by_place)
                check(static_cast<std::uint64_t>(before) == in.place, "not its turn");
            else
                check(!in.brought_before || in.brought_before->went_through == 1, "not as they came");
            inside.set(before + 1);
            t = entrance.leave();
        }
    }

    const turns order;
    basic_turnstile<atomics> entrance;
    std::vector<std::unique_ptr<item>> items;
    plain<int> inside{0};  // how many were
};

// What each thread brings, one after the other.
program played(turns order, std::vector<std::vector<std::size_t>> threads) {
    return [=](run& r) {
        std::size_t count = 0;
        for (const auto& brought : threads)
            count += brought.size();
        auto s = std::make_shared<stage>(order, count);
        for (const auto& brought : threads) {
            for (std::size_t i = 1; i < brought.size(); ++i)
                s->items[brought[i]]->brought_before = s->items[brought[i - 1]].get();
            r.thread([=] {
                for (const std::size_t i : brought)
                    s->bring(i);
            });
        }
        r.finally([=] {
            check(s->inside.get() == static_cast<int>(count), "a token is held back for ever");
            check(s->entrance.arrive(*std::make_unique<item>(count)) != nullptr, "not free");
        });
    };
}

TEST(model_turnstile, each_access_matters) {
    each_access_matters({played(turns::by_arrival, {{0, 1}, {2}}), played(turns::by_arrival, {{0}, {1}, {2}}),
                         played(turns::by_place, {{0, 2}, {1}}), played(turns::by_place, {{1}, {0}}),
                         played(turns::by_place, {{2}, {1}, {0}})},
                        {});
}

}  // namespace
}  // namespace bough::model
