// Exceptions and cancellation at random places of random nests, again and again; then the pool must be whole.

#include "unit/api_support.h"

namespace {

using bough_test::boom;

// A random tree of loops, groups and invokes; the node number `fuse` throws.
class random_nest {
public:
    random_nest(std::uint64_t seed, long fuse) : seed_(seed), fuse_(fuse) {}

    void grow(int depth, std::uint64_t path) {
        ++entered_;
        if (nodes_.fetch_add(1) == fuse_) {
            --entered_;
            throw boom{path};
        }
        struct leave {
            std::atomic<long>& count;
            ~leave() { --count; }
        } const leaving{entered_};
        if (depth == 0)
            return bough_test::work_a_little(30);
        std::mt19937_64 generator(seed_ ^ path * 0x9e3779b97f4a7c15u);
        const std::size_t width = bough_test::uniform(generator, 1, 4);
        const auto child = [this, depth, path](std::size_t i) { grow(depth - 1, path * 5 + i + 1); };
        switch (bough_test::uniform(generator, 0, 5)) {
        case 0:
            bough::parallel_for(std::size_t{0}, width, child);
            break;
        case 1:
            bough::parallel_for(std::size_t{0}, width, child, bough::simple_partitioner{});
            break;
        case 2:
            bough::parallel_for(std::size_t{0}, width, child, bough::static_partitioner{});
            break;
        case 3:
            bough::parallel_invoke([&] { child(0); }, [&] { child(1); });
            break;
        case 4:
            bough::parallel_reduce(
                bough::blocked_range<std::size_t>(0, width), 0,
                [&](const bough::blocked_range<std::size_t>& r, int v) {
                    for (std::size_t i = r.begin(); i < r.end(); ++i)
                        child(i);
                    return v;
                },
                std::plus<int>());
            break;
        default: {
            bough::task_group group;
            for (std::size_t i = 0; i + 1 < width; ++i)
                group.run([&child, i] { child(i); });
            group.run_and_wait([&] { child(width - 1); });
        }
        }
    }
    long nodes() const { return nodes_.load(); }
    long still_inside() const { return entered_.load(); }

private:
    const std::uint64_t seed_;
    const long fuse_;
    std::atomic<long> nodes_{0};
    std::atomic<long> entered_{0};
};

TEST(throwing, random_nests) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(1000, 1200);
    while (rounds.next()) {
        const std::uint64_t seed = generator();
        const int depth = static_cast<int>(bough_test::uniform(generator, 1, 7));
        random_nest whole(seed, -1);
        whole.grow(depth, 1);
        ASSERT_EQ(whole.still_inside(), 0);
        const long nodes = whole.nodes();
        const auto fuse =
            static_cast<long>(bough_test::uniform(generator, 0, static_cast<std::size_t>(nodes) - 1));
        random_nest broken(seed, fuse);
        ASSERT_THROW(broken.grow(depth, 1), boom) << "seed " << seed << ", fuse " << fuse << " of " << nodes;
        ASSERT_EQ(broken.still_inside(), 0) << "a body still ran when the exception came out";
        ASSERT_LE(broken.nodes(), nodes);
        random_nest again(seed, -1);
        again.grow(depth, 1);
        ASSERT_EQ(again.nodes(), nodes) << "bodies were lost after a loop that threw";
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(throwing, cancelled_from_outside_at_random_times) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(1000, 700);
    bough::task_group_context context;
    std::atomic<int> order{0};  // 1: cancel, 2: end
    std::atomic<bool> returned{false};
    std::atomic<std::uint64_t> delay{0};
    std::thread canceller([&] {
        for (;;) {
            const int now = order.load();
            if (now == 2)
                return;
            if (now == 1) {
                bough_test::work_a_little(static_cast<int>(delay.load()));
                context.cancel_group_execution();
                order = 0;
            }
            std::this_thread::yield();
        }
    });
    int late = 0;
    while (rounds.next()) {
        returned = false;
        std::atomic<int> after_return{0};
        delay = bough_test::uniform(generator, 0, 30000);
        order = 1;
        bough::parallel_for(
            0, 3000,
            [&](int i) {
                after_return.fetch_add(returned.load() ? 1 : 0);
                if (i % 100 == 0)
                    bough::parallel_for(0, 10, [](int) { bough_test::work_a_little(50); });
                bough_test::work_a_little(20);
            },
            context);
        returned = true;
        late += after_return.load();
        while (order.load() != 0)
            std::this_thread::yield();
        context.reset();
    }
    order = 2;
    canceller.join();
    EXPECT_EQ(late, 0) << "bodies ran after their loop had returned";
    EXPECT_TRUE(bough_test::pool_is_usable());
}

}  // namespace
