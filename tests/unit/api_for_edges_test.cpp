// parallel_for over negative indices, and over more of them than 32 bits can count.

#include "unit/api_erased.h"

#include <limits>
#include <stdexcept>
#include <string>

namespace {

using bough::blocked_range;
using bough_test::any_partitioner;
using bough_test::visits;

TEST(api_for_negative, first_index_below_zero) {
    bough_test::for_any_partitioner([](const char* name, any_partitioner& partitioner) {
        visits form(2000), range(2000), step(400);
        bough_test::for_index(
            -1234, 766, [&](int i) { form.hit(static_cast<std::size_t>(i + 1234)); }, partitioner);
        bough_test::for_range(
            blocked_range<long>(-1234, 766, 3),
            [&](const blocked_range<long>& r) {
                for (long i = r.begin(); i != r.end(); ++i)
                    range.hit(static_cast<std::size_t>(i + 1234));
            },
            partitioner);
        bough_test::for_step(
            -1234L, 766L, 5L, [&](long i) { step.hit(static_cast<std::size_t>((i + 1234) / 5)); },
            partitioner);
        EXPECT_TRUE(form.each_once()) << name;
        EXPECT_TRUE(range.each_once()) << name;
        EXPECT_TRUE(step.each_once()) << name;
    });
}

TEST(api_for_negative, both_ends_below_zero) {
    visits seen(100), stepped(15);
    bough::parallel_for(-300, -200, [&](int i) { seen.hit(static_cast<std::size_t>(i + 300)); });
    bough::parallel_for(-300, -200, 7, [&](int i) { stepped.hit(static_cast<std::size_t>(i + 300) / 7); });
    EXPECT_TRUE(seen.each_once());
    EXPECT_TRUE(stepped.each_once());
}

template <class Index>
std::string refusal(Index first, Index last, Index step) {
    try {
        bough::parallel_for(first, last, step, [](Index) { ADD_FAILURE() << "a body ran"; });
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "not refused";
}

TEST(api_for_negative, a_step_that_is_not_positive_is_refused) {
    EXPECT_EQ(refusal(0, 10, -1), "bough::parallel_for: step is -1; allowed are 1 and more");
    EXPECT_EQ(refusal(10, 0, -1), "bough::parallel_for: step is -1; allowed are 1 and more");
    EXPECT_EQ(refusal(0u, 10u, 0u), "bough::parallel_for: step is 0; allowed are 1 and more");
    EXPECT_EQ(refusal('a', 'b', char{0}), "bough::parallel_for: step is 0; allowed are 1 and more");
    EXPECT_EQ(refusal(0LL, 1LL, std::numeric_limits<long long>::min()),
              "bough::parallel_for: step is -9223372036854775808; allowed are 1 and more");
}

// Bodies add up what they were given. Sums modulo 2^64 catch a lost, doubled or overlapping piece.
template <class Index>
struct covered {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> ends{0};
    std::atomic<std::uint64_t> begins{0};
    void add(const blocked_range<Index>& r) {
        count.fetch_add(static_cast<std::uint64_t>(r.end()) - static_cast<std::uint64_t>(r.begin()));
        begins.fetch_add(static_cast<std::uint64_t>(r.begin()) * 0x9e3779b97f4a7c15u);
        ends.fetch_add(static_cast<std::uint64_t>(r.end()) * 0x9e3779b97f4a7c15u);
    }
    void expect(Index first, Index last, const char* name) const {
        EXPECT_EQ(count.load(), static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first)) << name;
        // Neighbours share a border, so all borders but the outer two cancel out.
        const std::uint64_t outer = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
        EXPECT_EQ(ends.load() - begins.load(), outer * 0x9e3779b97f4a7c15u) << name;
    }
};

TEST(api_for_huge, ranges_over_32_bits) {
    for (const std::uint64_t last :
         {(std::uint64_t{1} << 32) + 1, std::uint64_t{5'000'000'003}, std::uint64_t{1} << 40}) {
        bough_test::for_any_partitioner([&](const char* name, any_partitioner& partitioner) {
            covered<std::uint64_t> sum;
            bough_test::for_range(
                blocked_range<std::uint64_t>(7, last, last / 1000),
                [&](const blocked_range<std::uint64_t>& r) { sum.add(r); }, partitioner);
            sum.expect(7, last, name);
        });
    }
}

// A body that only looks at the ends of its piece must not be called for every index.
TEST(api_for_huge, grain_1_is_cut_for_the_threads_and_not_for_the_indices) {
    const std::int64_t first = -(std::int64_t{1} << 33), last = std::int64_t{1} << 34;
    covered<std::int64_t> automatic, fixed;
    bough::parallel_for(blocked_range<std::int64_t>(first, last),
                        [&](const blocked_range<std::int64_t>& r) { automatic.add(r); });
    automatic.expect(first, last, "auto_partitioner");
    bough::parallel_for(
        blocked_range<std::int64_t>(first, last), [&](const blocked_range<std::int64_t>& r) { fixed.add(r); },
        bough::static_partitioner{});
    fixed.expect(first, last, "static_partitioner");
}

TEST(api_for_huge, steps_over_more_than_32_bits) {
    const std::uint64_t step = std::uint64_t{1} << 33, last = (std::uint64_t{1} << 40) + 1;
    visits seen(129);
    bough::parallel_for(std::uint64_t{0}, last, step, [&](std::uint64_t i) {
        EXPECT_EQ(i % step, 0u);
        seen.hit(static_cast<std::size_t>(i / step));
    });
    EXPECT_TRUE(seen.each_once());
}

TEST(api_for_huge, a_range_of_int_wider_than_int) {
    constexpr int first = -2'000'000'000, last = 2'000'000'000;
    bough_test::for_any_partitioner([&](const char* name, any_partitioner& partitioner) {
        covered<int> sum;
        bough_test::for_range(
            blocked_range<int>(first, last, 10'000'000), [&](const blocked_range<int>& r) { sum.add(r); },
            partitioner);
        sum.expect(first, last, name);
    });
    visits stepped(41);
    bough::parallel_for(first, last, 100'000'000, [&](int i) {
        stepped.hit(static_cast<std::size_t>((static_cast<long>(i) - first) / 100'000'000));
    });
    EXPECT_EQ(stepped.total(), 40u);
    EXPECT_TRUE(stepped.none_twice());
}

}  // namespace
