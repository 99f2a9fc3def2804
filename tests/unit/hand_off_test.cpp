// The hand-off cell: each transition, and receiver and sender racing for an assignment.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "share/hand_off_cell.h"

namespace bough {
namespace {

assignment numbered(unit n) {
    assignment a;
    a.first = n;
    return a;
}

TEST(hand_off_cell, nobody_can_hand_off_to_a_closed_cell) {
    hand_off_cell cell;
    EXPECT_FALSE(cell.is_waiting());
    EXPECT_FALSE(cell.try_hand_off(numbered(1)));
    EXPECT_FALSE(cell.receive());
    EXPECT_FALSE(cell.close());
}

TEST(hand_off_cell, one_hand_off_is_taken_and_received_once) {
    hand_off_cell cell;
    cell.open();
    EXPECT_TRUE(cell.try_hand_off(numbered(7)));
    EXPECT_FALSE(cell.try_hand_off(numbered(8)));
    const auto got = cell.receive();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->first, 7u);
    EXPECT_FALSE(cell.receive());
    EXPECT_FALSE(cell.try_hand_off(numbered(9)));
}

TEST(hand_off_cell, closing_gives_out_what_came_before) {
    hand_off_cell cell;
    cell.open();
    ASSERT_TRUE(cell.try_hand_off(numbered(7)));
    const auto got = cell.close();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->first, 7u);
    cell.open();
    EXPECT_FALSE(cell.close());
    EXPECT_FALSE(cell.try_hand_off(numbered(8)));
}

TEST(hand_off_cell, what_was_not_begun_can_be_taken_back_once) {
    hand_off_cell cell;
    cell.open();
    const auto ticket = cell.try_hand_off(numbered(7));
    ASSERT_TRUE(ticket);
    const auto back = cell.revoke(*ticket);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->first, 7u);
    EXPECT_FALSE(cell.revoke(*ticket));
    EXPECT_FALSE(cell.try_hand_off(numbered(8))) << "a thread without a CPU shall not be handed more";
    EXPECT_FALSE(cell.receive());  // it runs again, and opens the cell
    EXPECT_TRUE(cell.try_hand_off(numbered(8)));
}

TEST(hand_off_cell, what_was_begun_or_done_cannot_be_taken_back) {
    hand_off_cell cell;
    cell.open();
    const auto first = cell.try_hand_off(numbered(7));
    ASSERT_TRUE(cell.receive());
    EXPECT_FALSE(cell.revoke(*first));
    cell.open();
    EXPECT_FALSE(cell.revoke(*first));
    const auto second = cell.try_hand_off(numbered(8));
    ASSERT_TRUE(second);
    EXPECT_FALSE(cell.revoke(*first)) << "another's assignment";
    EXPECT_EQ(cell.receive()->first, 8u);
}

// A sender that hands off and takes back at random moments, a receiver that polls, closes and oversleeps.
TEST(hand_off_cell, every_assignment_runs_once) {
    constexpr std::size_t rounds = 5000;
    hand_off_cell cell;
    std::vector<std::atomic<int>> ran(rounds);
    std::atomic<bool> stop{false};
    std::thread receiver([&] {
        std::uint32_t random = 1;
        const auto run = [&](const assignment& a) { ran[a.first].fetch_add(1); };
        while (!stop.load()) {
            cell.open();
            for (int i = 0; i < 50; ++i) {
                if (const auto got = cell.receive()) {
                    run(*got);
                    random = random * 1664525 + 1013904223;
                    if (random >> 27 == 0)
                        std::this_thread::yield();
                    cell.open();
                }
            }
            if (const auto got = cell.close())
                run(*got);
        }
    });
    std::uint32_t random = 7;
    for (std::size_t i = 0; i < rounds; ++i) {
        auto ticket = cell.try_hand_off(numbered(i));
        for (int tries = 1; !ticket; ++tries) {
            if (tries % 1000 == 0)
                std::this_thread::yield();
            ticket = cell.try_hand_off(numbered(i));
        }
        random = random * 1664525 + 1013904223;
        for (std::uint32_t k = random >> 26; k > 0; --k)
            machine::pause();
        if (const auto back = cell.revoke(*ticket)) {
            EXPECT_EQ(back->first, i);
            ran[i].fetch_add(1);
        }
    }
    stop = true;
    receiver.join();
    for (const auto& n : ran)
        ASSERT_EQ(n.load(), 1);
}

}  // namespace
}  // namespace bough
