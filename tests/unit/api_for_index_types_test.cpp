// parallel_for over all kinds of index: signed, unsigned, narrow, wide, up to the last of their values.

#include "unit/api_erased.h"

#include <limits>
#include <stdexcept>

namespace {

using bough::blocked_range;
using bough_test::body_ref;
using bough_test::visits;

template <class Index>
class api_for_index_types : public ::testing::Test {};
using index_types =
    ::testing::Types<signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long,
                     long long, unsigned long long, std::size_t, std::ptrdiff_t>;
TYPED_TEST_SUITE(api_for_index_types, index_types);

// One form with each of two partitioners suffices for a type: it meets the partitioner where pieces are made, merged
// ones (auto, affinity) or single ones (simple, static), and the index form is the range form with a body that counts.
// Steps are counted in std::uint64_t whatever the index is. All four partitioners in every form, with signed and
// unsigned indices: api_for_edges_test.cpp, api_for_visits_test.cpp.
TYPED_TEST(api_for_index_types, every_index_once) {
    using index = TypeParam;
    const index last = 100;
    visits form(100), range(100);
    bough::parallel_for(index{0}, last,
                        body_ref<void(index)>([&](index i) { form.hit(static_cast<std::size_t>(i)); }));
    bough::parallel_for(blocked_range<index>(0, last),
                        body_ref<void(const blocked_range<index>&)>(
                            [&](const blocked_range<index>& r) { range.hit_range(r); }),
                        bough::simple_partitioner());
    EXPECT_TRUE(form.each_once());
    EXPECT_TRUE(range.each_once());
    visits step(34);
    bough::parallel_for(index{0}, last, index{3},
                        body_ref<void(index)>([&](index i) { step.hit(static_cast<std::size_t>(i / 3)); }));
    EXPECT_TRUE(step.each_once());
}

TYPED_TEST(api_for_index_types, the_last_values_of_the_type) {
    using index = TypeParam;
    using body = body_ref<void(index)>;
    const index last = std::numeric_limits<index>::max();
    const auto first = static_cast<index>(last - 50);
    visits seen(50);
    bough::parallel_for(first, last, body([&](index i) { seen.hit(static_cast<std::size_t>(i - first)); }));
    EXPECT_TRUE(seen.each_once());
    // 50 is no multiple of 7: first + 8 * 7 would overflow.
    visits stepped(8);
    bough::parallel_for(first, last, index{7},
                        body([&](index i) { stepped.hit(static_cast<std::size_t>(i - first) / 7); }));
    EXPECT_TRUE(stepped.each_once());
    visits once(1);
    bough::parallel_for(first, last, last,
                        body([&](index i) { once.hit(static_cast<std::size_t>(i - first)); }));
    EXPECT_TRUE(once.each_once());
}

TYPED_TEST(api_for_index_types, nothing_to_do_when_last_is_not_behind_first) {
    using index = TypeParam;
    using body = body_ref<void(index)>;
    std::atomic<int> calls{0};
    const auto add = [&](index) { calls.fetch_add(1); };
    const body count(add);
    bough::parallel_for(index{5}, index{5}, count);
    bough::parallel_for(index{5}, index{4}, count);
    bough::parallel_for(index{5}, index{5}, index{2}, count);
    bough::parallel_for(index{5}, index{1}, index{2}, count);
    bough::parallel_for(std::numeric_limits<index>::max(), std::numeric_limits<index>::min(), count);
    EXPECT_EQ(calls.load(), 0);
}

TYPED_TEST(api_for_index_types, a_step_of_zero_is_refused) {
    using index = TypeParam;
    using body = body_ref<void(index)>;
    EXPECT_THROW(bough::parallel_for(index{0}, index{10}, index{0}, body([](index) {})),
                 std::invalid_argument);
}

}  // namespace
