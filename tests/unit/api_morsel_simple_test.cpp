// Morsels under simple_partitioner: one morsel at a time, of the size that was asked for.

#include "unit/api_morsel_support.h"

namespace {

using bough_test::check_morsels;
using bough_test::line;
using piece = bough_test::morsel_piece;

struct alignas(8) twenty_four {
    char bytes[24];
};

template <class T>
class api_morsel_simple : public ::testing::Test {};
using element_types = ::testing::Types<char, short, float, double, twenty_four>;
TYPED_TEST_SUITE(api_morsel_simple, element_types);

TYPED_TEST(api_morsel_simple, are_of_the_size_that_was_asked_for) {
    using element = TypeParam;
    std::vector<element> store(40000);
    bough_test::any_partitioner simple(bough_test::any_partitioner::simple);
    for (const std::size_t bytes : {64u, 100u, 4096u, 10000u}) {
        const auto pieces = check_morsels(store.data() + 1, 0, 39999, bytes, simple);
        // An element size that is no power of two meets a line border only every few lines.
        const std::size_t slack = sizeof(element) * line;
        for (const piece& p : pieces)
            EXPECT_LE((p.last - p.first) * sizeof(element), bytes + 2 * slack);
        EXPECT_GE(pieces.size(), 39999 * sizeof(element) / (bytes + 2 * slack));
        for (std::size_t k = 1; k + 1 < pieces.size(); ++k)
            EXPECT_GE((pieces[k].last - pieces[k].first) * sizeof(element) + slack, bytes);
    }
}

}  // namespace
