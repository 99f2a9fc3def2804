// parallel_for over all kinds of index: signed, unsigned, narrow, wide, at the edge of their values.

#include "unit/api_support.h"

#include <limits>
#include <stdexcept>

namespace {

using bough::blocked_range;
using bough_test::visits;

template <class Index>
class api_for_index_types : public ::testing::Test {};
using index_types =
    ::testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                     long long, unsigned long long, std::size_t, std::ptrdiff_t>;
TYPED_TEST_SUITE(api_for_index_types, index_types);

TYPED_TEST(api_for_index_types, every_index_once) {
    using index = TypeParam;
    bough_test::for_each_partitioner([](const char* name, auto& partitioner) {
        const index last = 100;
        visits form(100), range(100), step(34);
        bough::parallel_for(
            index{0}, last, [&](index i) { form.hit(static_cast<std::size_t>(i)); }, partitioner);
        bough::parallel_for(
            blocked_range<index>(0, last), [&](const blocked_range<index>& r) { range.hit_range(r); },
            partitioner);
        bough::parallel_for(
            index{0}, last, index{3}, [&](index i) { step.hit(static_cast<std::size_t>(i / 3)); },
            partitioner);
        EXPECT_TRUE(form.each_once()) << name;
        EXPECT_TRUE(range.each_once()) << name;
        EXPECT_TRUE(step.each_once()) << name;
    });
}

TYPED_TEST(api_for_index_types, the_last_values_of_the_type) {
    using index = TypeParam;
    const index last = std::numeric_limits<index>::max();
    const auto first = static_cast<index>(last - 50);
    visits seen(50);
    bough::parallel_for(first, last, [&](index i) { seen.hit(static_cast<std::size_t>(i - first)); });
    EXPECT_TRUE(seen.each_once());
    // 50 is no multiple of 7: first + 8 * 7 would overflow.
    visits stepped(8);
    bough::parallel_for(first, last, index{7},
                        [&](index i) { stepped.hit(static_cast<std::size_t>(i - first) / 7); });
    EXPECT_TRUE(stepped.each_once());
    visits once(1);
    bough::parallel_for(first, last, last, [&](index i) { once.hit(static_cast<std::size_t>(i - first)); });
    EXPECT_TRUE(once.each_once());
}

TYPED_TEST(api_for_index_types, nothing_to_do_when_last_is_not_behind_first) {
    using index = TypeParam;
    std::atomic<int> calls{0};
    const auto count = [&](index) { calls.fetch_add(1); };
    bough::parallel_for(index{5}, index{5}, count);
    bough::parallel_for(index{5}, index{4}, count);
    bough::parallel_for(index{5}, index{5}, index{2}, count);
    bough::parallel_for(index{5}, index{1}, index{2}, count);
    bough::parallel_for(std::numeric_limits<index>::max(), std::numeric_limits<index>::min(), count);
    EXPECT_EQ(calls.load(), 0);
}

TYPED_TEST(api_for_index_types, a_step_of_zero_is_refused) {
    using index = TypeParam;
    EXPECT_THROW(bough::parallel_for(index{0}, index{10}, index{0}, [](index) {}), std::invalid_argument);
}

TEST(api_for_negative, first_index_below_zero) {
    bough_test::for_each_partitioner([](const char* name, auto& partitioner) {
        visits form(2000), range(2000), step(400);
        bough::parallel_for(
            -1234, 766, [&](int i) { form.hit(static_cast<std::size_t>(i + 1234)); }, partitioner);
        bough::parallel_for(
            blocked_range<long>(-1234, 766, 3),
            [&](const blocked_range<long>& r) {
                for (long i = r.begin(); i != r.end(); ++i)
                    range.hit(static_cast<std::size_t>(i + 1234));
            },
            partitioner);
        bough::parallel_for(
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

TEST(api_for_negative, a_negative_step_is_refused) {
    EXPECT_THROW(bough::parallel_for(0, 10, -1, [](int) {}), std::invalid_argument);
    EXPECT_THROW(bough::parallel_for(10, 0, -1, [](int) {}), std::invalid_argument);
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
        bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
            covered<std::uint64_t> sum;
            bough::parallel_for(
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
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        covered<int> sum;
        bough::parallel_for(
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
