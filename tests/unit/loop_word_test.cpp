// loop_word and loop_part: every transition of the table in src/share/README.md.

#include <gtest/gtest.h>

#include <sstream>

#include "share/loop_part.h"

namespace bough {
namespace {

constexpr loop_word published(std::uint32_t claimed, std::uint32_t pieces, std::uint32_t helpers = 0) {
    const loop_word prepared = loop_word().prepared(helpers);
    return loop_word(prepared.bits() + loop_word::publication(claimed, pieces, false, 0));
}

TEST(loop_word, fields_do_not_touch_each_other) {
    const loop_word w = published(4000, 4095, 63);
    EXPECT_EQ(w.generation(), 1u);
    EXPECT_EQ(w.helpers(), 63u);
    EXPECT_EQ(w.next(), 4000u);
    EXPECT_EQ(w.end(), 4095u);
    EXPECT_EQ(w.remaining(), 95u);
    EXPECT_FALSE(w.open());
    EXPECT_FALSE(w.left());
    EXPECT_TRUE(w.claimed(1, true).open());
    EXPECT_EQ(w.claimed(95, false).remaining(), 0u);
    EXPECT_TRUE(w.with_left().left());
    EXPECT_EQ(w.drained().remaining(), 0u);
    EXPECT_EQ(w.drained().helpers(), 63u);
}

TEST(loop_word, publication_takes_undone_hand_offs_back) {
    const loop_word prepared = loop_word().prepared(5);
    const loop_word w(prepared.bits() + loop_word::publication(1, 10, true, 3));
    EXPECT_EQ(w.helpers(), 2u);
    EXPECT_EQ(w.next(), 1u);
    EXPECT_EQ(w.end(), 10u);
    EXPECT_TRUE(w.open());
}

TEST(loop_word, a_new_use_forgets_everything_but_counts_the_generation) {
    const loop_word used = published(1, 9).stolen(4).with_left();
    const loop_word again = used.prepared(0);
    EXPECT_EQ(again.generation(), used.generation() + 1);
    EXPECT_EQ(again.remaining(), 0u);
    EXPECT_EQ(again.helpers(), 0u);
    EXPECT_FALSE(again.left());
}

TEST(loop_word, generation_wraps) {
    const loop_word last(~std::uint64_t{0} << 32);
    EXPECT_EQ(last.prepared(0).generation(), 0u);
    EXPECT_EQ(last.prepared(7).helpers(), 7u);
}

TEST(loop_word, prints_its_fields) {
    std::ostringstream out;
    out << published(2, 9, 1);
    EXPECT_EQ(out.str(), "{generation 1, helpers 1, pieces 2..9}");
}

TEST(piece_map, covers_every_unit_once_for_any_size) {
    for (const unit size :
         {unit{1}, unit{2}, unit{4094}, unit{4095}, unit{4096}, unit{100'000}, (unit{1} << 40) + 7}) {
        const piece_map map(13, 13 + size);
        EXPECT_EQ(map.begin_of(0), 13u);
        EXPECT_EQ(map.begin_of(map.pieces), 13 + size);
        EXPECT_LE(map.pieces, loop_word::max_pieces);
        unit least = ~unit{0}, most = 0;
        for (std::uint32_t p = 0; p < map.pieces; ++p) {
            const unit length = map.begin_of(p + 1) - map.begin_of(p);
            least = std::min(least, length);
            most = std::max(most, length);
        }
        EXPECT_GE(least, 1u);
        EXPECT_LE(most - least, 1u) << size;
    }
}

class loop_part_test : public testing::Test {
protected:
    loop_job job;
    loop_part part;

    void publish(unit units, std::uint32_t claimed) {
        part.prepare(job, nullptr, 0, 0);
        part.map.set(piece_map(0, units));
        part.publish(claimed, false);
    }
};

TEST_F(loop_part_test, thief_takes_the_back_half_and_the_owner_the_front) {
    publish(10, 2);
    const auto taken = part.steal(part.look());
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->first, 6u);
    EXPECT_EQ(taken->last, 10u);
    EXPECT_EQ(taken->parent, &part);
    EXPECT_EQ(taken->job, &job);
    std::uint32_t first = 0;
    EXPECT_EQ(part.claim(100, false, &first), 4u);
    EXPECT_EQ(first, 2u);
    EXPECT_EQ(part.claim(100, false, &first), 0u);
    EXPECT_FALSE(part.is_joined());
    EXPECT_FALSE(part.report());
    EXPECT_TRUE(part.is_joined());
}

TEST_F(loop_part_test, the_last_piece_can_be_stolen) {
    publish(2, 1);
    const auto taken = part.steal(part.look());
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->first, 1u);
    EXPECT_FALSE(part.steal(part.look()));
}

TEST_F(loop_part_test, a_thief_that_slept_through_a_reuse_fails) {
    publish(10, 2);
    const loop_word seen = part.look();
    std::uint32_t first;
    ASSERT_EQ(part.claim(8, false, &first), 8u);
    publish(10, 2);
    EXPECT_FALSE(part.steal(seen));
    EXPECT_TRUE(part.steal(part.look()));
}

TEST_F(loop_part_test, a_thief_that_saw_an_older_count_fails) {
    publish(10, 2);
    const loop_word seen = part.look();
    std::uint32_t first;
    ASSERT_EQ(part.claim(1, false, &first), 1u);
    EXPECT_FALSE(part.steal(seen));
    EXPECT_FALSE(part.steal_more(seen));
}

TEST_F(loop_part_test, taking_more_does_not_count_twice) {
    publish(100, 2);
    ASSERT_TRUE(part.steal(part.look()));
    ASSERT_TRUE(part.steal_more(part.look()));
    EXPECT_EQ(part.look().helpers(), 1u);
}

TEST_F(loop_part_test, the_last_report_acts_only_for_an_owner_that_left) {
    publish(100, 2);
    ASSERT_TRUE(part.steal(part.look()));
    ASSERT_TRUE(part.steal(part.look()));
    part.drain();
    EXPECT_FALSE(part.leave());
    EXPECT_TRUE(part.is_busy());
    EXPECT_FALSE(part.report());
    EXPECT_TRUE(part.report());
    EXPECT_FALSE(part.is_busy());
    EXPECT_TRUE(part.leave());
}

TEST_F(loop_part_test, no_more_helpers_than_the_field_counts) {
    publish(4095, 1);
    std::uint32_t helpers = 0;
    part.word.fetch_add(loop_word::one_helper * 60, std::memory_order_relaxed);
    while (part.steal(part.look()))
        ++helpers;
    EXPECT_EQ(helpers, 3u);
    EXPECT_NE(part.remaining(), 0u);
}

}  // namespace
}  // namespace bough
