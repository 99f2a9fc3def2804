// A light fence and a heavy one: of two threads that store and then look at the other's, one sees it. With the kernel's
// help and, where it is refused, without (tests/support/without_membarrier.py says so in TEST_NO_MEMBARRIER).

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "bough/config.h"
#include "bough/detail/asymmetric_fence.h"
#include "machine/pause.h"
#include "unit/api_support.h"

namespace {

namespace machine = bough::machine;

bool membarrier_is_refused() {
    return std::getenv("TEST_NO_MEMBARRIER") != nullptr;
}

// Both threads leave a round's start as nearly at once as spinning allows; on one CPU they take turns.
class start_line {
public:
    void wait(unsigned round) {
        arrived_.fetch_add(1, std::memory_order_acq_rel);
        for (unsigned spun = 0; arrived_.load(std::memory_order_acquire) < 2 * round; ++spun) {
            machine::pause();
            if (spun % 1000 == 999)
                machine::yield();
        }
    }

private:
    std::atomic<unsigned> arrived_{0};
};

struct alignas(2 * bough::cache_line) flag {
    std::atomic<unsigned> last{0};  // round in which it was raised
};

struct counted {
    unsigned rounds = 0;
    unsigned both_missed = 0;
};

// Lines that the other side has written last. A processor that keeps its stores in order lets the flag wait behind
// them, while its loads go ahead, unless a fence holds them: without these lines one round in a hundred thousand shows
// it.
class crowd {
public:
    void write(unsigned round) {
        for (flag& f : lines_)
            f.last.store(round, std::memory_order_relaxed);
    }

private:
    std::array<flag, 12> lines_;
};

// So that the two sides meet at every distance in time.
void delay(unsigned round) {
    for (volatile unsigned left = round % 128; left > 0;)
        left = left - 1;
}

// Each raises its flag, takes its fence and looks at the other's: both may see the other's, never none.
template <class LightSide, class HeavySide>
counted race(LightSide&& light_side, HeavySide&& heavy_side) {
    flag light, heavy;
    crowd before;
    start_line start, end;
    std::atomic<bool> seen_by_heavy{false}, more{true};
    std::thread other([&] {
        for (unsigned round = 1;; ++round) {
            before.write(round);
            start.wait(round);
            if (!more.load(std::memory_order_relaxed))
                return;
            delay(round);
            heavy.last.store(round, std::memory_order_relaxed);
            heavy_side();
            seen_by_heavy.store(light.last.load(std::memory_order_relaxed) == round,
                                std::memory_order_relaxed);
            end.wait(round);
        }
    });
    counted result;
    bough_test::budget budget(50000);
    while (budget.next()) {
        const unsigned round = ++result.rounds;
        start.wait(round);
        before.write(round);
        light.last.store(round, std::memory_order_relaxed);
        light_side();
        const bool seen_by_light = heavy.last.load(std::memory_order_relaxed) == round;
        end.wait(round);
        result.both_missed += !seen_by_light && !seen_by_heavy.load(std::memory_order_relaxed) ? 1 : 0;
    }
    more.store(false, std::memory_order_relaxed);
    start.wait(result.rounds + 1);
    other.join();
    return result;
}

TEST(asymmetric_fence, of_a_light_and_a_heavy_one_one_side_sees_the_other) {
    const counted c = race([] { machine::light_fence(); }, [] { machine::heavy_fence(); });
    EXPECT_EQ(c.both_missed, 0U) << "of " << c.rounds;
}

TEST(asymmetric_fence, so_it_is_of_two_heavy_ones) {
    const counted c = race([] { machine::heavy_fence(); }, [] { machine::heavy_fence(); });
    EXPECT_EQ(c.both_missed, 0U) << "of " << c.rounds;
}

TEST(asymmetric_fence, is_full_on_both_sides_where_the_kernel_refuses) {
    if (!membarrier_is_refused())
        GTEST_SKIP() << "membarrier is not refused in this run; ctest entry unit.no_membarrier";
    EXPECT_FALSE(machine::detail::heavy_reaches_all.load());
    machine::heavy_fence();
    EXPECT_FALSE(machine::detail::heavy_reaches_all.load());
    const counted c = race([] { machine::light_fence(); }, [] { machine::light_fence(); });
    EXPECT_EQ(c.both_missed, 0U) << "of " << c.rounds;
}

}  // namespace
