// A call site that is short for a random time and then blocks: the runtime may predict, but never wrongly for good.

#include "unit/api_support.h"

namespace {

using bough_test::rendezvous;

TEST(short_site, blocks_after_a_random_number_of_short_loops) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    auto generator = bough_test::seeded_generator();
    const int threads = bough_test::allowed_threads();
    rendezvous* meeting = nullptr;
    std::atomic<long> ran{0};
    const auto site = [&](int n) {
        bough::parallel_for(0, n, [&](int) {
            if (meeting)
                meeting->arrive_and_wait();
            else
                ran.fetch_add(1, std::memory_order_relaxed);
        });
    };
    bough_test::budget rounds(400, 1000);
    while (rounds.next()) {
        const auto loops =
            bough_test::uniform(generator, 0, std::size_t{1} << bough_test::uniform(generator, 0, 12));
        ran = 0;
        for (std::size_t k = 0; k < loops; ++k)
            site(threads);
        ASSERT_EQ(ran.load(), static_cast<long>(loops) * threads);
        rendezvous all(threads, rounds.done() % 2 ? rendezvous::spinning : rendezvous::sleeping);
        meeting = &all;
        site(threads);
        meeting = nullptr;
        ASSERT_TRUE(all.met()) << "after " << loops << " short loops";
    }
}

// One std::function type for all bodies: the site is the same, the cost is not.
TEST(short_site, shared_by_bodies_of_all_costs) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    auto generator = bough_test::seeded_generator();
    const int threads = bough_test::allowed_threads();
    const auto site = [](int n, const std::function<void(int)>& f) { bough::parallel_for(0, n, f); };
    bough_test::budget rounds(3000, 700);
    while (rounds.next()) {
        switch (bough_test::uniform(generator, 0, 3)) {
        case 0: {
            std::atomic<int> ran{0};
            site(1000, [&](int) { ran.fetch_add(1, std::memory_order_relaxed); });
            ASSERT_EQ(ran.load(), 1000);
            break;
        }
        case 1: {
            bough_test::visits seen(64);
            site(64, [&](int i) {
                bough_test::work_a_little(1000);
                seen.hit(static_cast<std::size_t>(i));
            });
            ASSERT_TRUE(seen.each_once());
            break;
        }
        case 2: {
            rendezvous all(threads, rendezvous::sleeping);
            site(threads, [&](int) { all.arrive_and_wait(); });
            ASSERT_TRUE(all.met());
            break;
        }
        default:
            ASSERT_THROW(site(100, [](int i) { i == 77 ? throw bough_test::boom{77} : void(); }),
                         bough_test::boom);
        }
    }
}

}  // namespace
