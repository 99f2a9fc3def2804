// Channels: order, room, closing.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "bough/detail/spin_wait.h"
#include "channel/mpsc.h"
#include "channel/spsc.h"

namespace {

using namespace bough;

using small_mpsc = basic_mpsc_channel<machine::atomics, 4>;
using small_spsc = basic_spsc_channel<machine::atomics, std::uint64_t, 4>;

TEST(mpsc_channel, gives_out_in_order) {
    small_mpsc c(true);
    EXPECT_EQ(c.receive(), 0u);
    for (std::uint64_t round = 1; round < 20; round += 2) {
        EXPECT_EQ(c.try_send(round), sent::yes);
        EXPECT_EQ(c.try_send(round + 1), sent::yes);
        EXPECT_TRUE(c.has_message());
        EXPECT_EQ(c.peek(), round);
        EXPECT_EQ(c.receive(), round);
        EXPECT_EQ(c.receive(), round + 1);
        EXPECT_FALSE(c.has_message());
    }
}

TEST(mpsc_channel, is_full_at_its_capacity) {
    small_mpsc c(true);
    for (std::uint64_t m = 1; m <= 4; ++m)
        EXPECT_EQ(c.try_send(m), sent::yes);
    EXPECT_EQ(c.try_send(5), sent::full);
    EXPECT_EQ(c.receive(), 1u);
    EXPECT_EQ(c.try_send(5), sent::yes);
    for (std::uint64_t m = 2; m <= 5; ++m)
        EXPECT_EQ(c.receive(), m);
}

TEST(mpsc_channel, closed_takes_nothing_and_keeps_what_it_has) {
    small_mpsc c(false);
    EXPECT_EQ(c.try_send(1), sent::closed);
    EXPECT_FALSE(c.send(1));
    EXPECT_EQ(c.receive_last(), 0u);
    c.open();
    EXPECT_TRUE(c.is_open_and_empty());
    EXPECT_TRUE(c.send(1));
    EXPECT_FALSE(c.is_open_and_empty());  // it has been asked
    c.close();
    EXPECT_EQ(c.try_send(2), sent::closed);
    EXPECT_EQ(c.receive_last(), 1u);
    EXPECT_EQ(c.receive_last(), 0u);
    EXPECT_FALSE(c.is_open_and_empty());
    c.open();
    EXPECT_TRUE(c.send(3));
    EXPECT_EQ(c.receive(), 3u);
}

// Senders wait while it is full; each one's messages come in its order; none is lost, though the receiver closes.
TEST(mpsc_channel, loses_nothing_between_threads) {
    constexpr std::uint64_t senders = 3, each = 500;
    small_mpsc c(true);
    std::atomic<unsigned> done{0};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < senders; ++t)
        threads.emplace_back([&, t] {
            machine::spin_wait opened;
            for (std::uint64_t i = 1; i <= each; ++i)
                while (!c.send(t << 32 | i))
                    opened.pause();
            ++done;
        });
    std::vector<std::uint64_t> newest(senders, 0);
    std::uint64_t received = 0;
    const auto take = [&](std::uint64_t m) {
        ++received;
        EXPECT_EQ(m & 0xffffffff, ++newest[m >> 32]);
    };
    machine::spin_wait sent_more;
    for (unsigned looks = 0; received < senders * each; ++looks) {
        if (const std::uint64_t m = c.receive())
            take(m);
        else
            sent_more.pause();
        if (looks % 64 == 63) {
            c.close();
            while (const std::uint64_t m = c.receive_last())
                take(m);
            c.open();
        }
    }
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(done.load(), senders);
    EXPECT_EQ(c.receive(), 0u);
}

TEST(spsc_channel, gives_out_in_order_and_says_when_it_is_full) {
    small_spsc c(true);
    EXPECT_EQ(c.peek(), nullptr);
    for (std::uint64_t m = 1; m <= 4; ++m)
        EXPECT_EQ(c.send(m), sent::yes);
    EXPECT_EQ(c.send(5), sent::full);
    for (std::uint64_t m = 1; m <= 4; ++m) {
        ASSERT_NE(c.peek(), nullptr);
        EXPECT_EQ(*c.peek(), m);
        EXPECT_EQ(c.receive(), m);
    }
    EXPECT_EQ(c.peek(), nullptr);
}

TEST(spsc_channel, closed_takes_nothing_and_keeps_what_it_has) {
    small_spsc c(false);
    EXPECT_EQ(c.send(1), sent::closed);
    c.open();
    EXPECT_TRUE(c.is_open());
    EXPECT_EQ(c.send(1), sent::yes);
    c.close();
    EXPECT_FALSE(c.is_open());
    EXPECT_EQ(c.send(2), sent::closed);
    ASSERT_NE(c.peek(), nullptr);
    EXPECT_EQ(c.receive(), 1u);
    EXPECT_EQ(c.peek(), nullptr);
}

TEST(spsc_channel, loses_nothing_between_threads) {
    constexpr std::uint64_t count = 2'000;
    small_spsc c(true);
    std::thread sender([&] {
        machine::spin_wait room;
        for (std::uint64_t i = 1; i <= count; ++i)
            while (c.send(i) != sent::yes)
                room.pause();
    });
    machine::spin_wait more;
    for (std::uint64_t next = 1, looks = 0; next <= count; ++looks) {
        if (c.peek())
            EXPECT_EQ(c.receive(), next++);
        else
            more.pause();
        if (looks % 64 == 63) {
            c.close();
            while (c.peek())
                EXPECT_EQ(c.receive(), next++);
            c.open();
        }
    }
    sender.join();
}

}  // namespace
