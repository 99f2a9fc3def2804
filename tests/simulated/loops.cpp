// Loops whose answers are known: many short ones, from several threads, within each other.

#include "scenario.h"

namespace simulated {
namespace {

void work(int cost) {
    for (volatile int i = 0; i < cost; i = i + 1) {
    }
}

// Of every kind, one after the other: what is left of one must not disturb the next.
void short_loops(random_numbers& random) {
    bough::affinity_partitioner same_places;
    for (int round = 0; round < 60; ++round) {
        const int size = random.between(1, 60), cost = random.one_in(3) ? random.between(0, 300) : 4;
        visits seen(size);
        const auto body = [&](int i) {
            work(cost);
            seen.hit(i);
        };
        switch (random.between(0, 5)) {
        case 0:
            bough::parallel_for(0, size, body, bough::static_partitioner{});
            break;
        case 1:
            bough::parallel_for(0, size, body, same_places);
            break;
        case 2:
            bough::parallel_for(0, size, body, bough::simple_partitioner{});
            break;
        default:
            bough::parallel_for(0, size, body);
        }
        seen.check_each(1);
    }
}
const known short_loops_is("short_loops", short_loops);

long long sum_to(int n, int cost) {
    return bough::parallel_reduce(
        bough::blocked_range<int>(0, n), 0ll,
        [cost](const bough::blocked_range<int>& r, long long sum) {
            for (int i = r.begin(); i != r.end(); ++i) {
                work(cost);
                sum += i;
            }
            return sum;
        },
        [](long long a, long long b) { return a + b; });
}

void sums_of_several_threads(random_numbers& random) {
    std::vector<std::thread> others;
    const auto many_sums = [](random_numbers mine) {
        for (int round = 0; round < 15; ++round) {
            const int n = mine.between(1, 100);
            check_equal(sum_to(n, mine.between(0, 30)), static_cast<long long>(n) * (n - 1) / 2, "sum");
            if (mine.one_in(4))
                pause(mine, 10);
        }
    };
    for (int i = 0; i < 2; ++i)
        others.emplace_back(many_sums,
                            random_numbers(static_cast<std::uint64_t>(random.between(0, 1 << 30))));
    many_sums(random);
    for (std::thread& t : others)
        t.join();
}
const known sums_of_several_threads_is("sums_of_several_threads", sums_of_several_threads);

void nested_loops(random_numbers& random) {
    for (int round = 0; round < 12; ++round) {
        const int outer = random.between(2, 8), inner = random.between(2, 12);
        visits seen(outer * inner);
        bough::parallel_for(0, outer, [&](int i) {
            bough::parallel_for(0, inner, [&](int k) {
                work(k % 3 == 0 ? 50 : 3);
                seen.hit(i * inner + k);
            });
        });
        seen.check_each(1);
    }
}
const known nested_loops_is("nested_loops", nested_loops);

// One piece throws, and the loop is over.
void throwing_loops(random_numbers& random) {
    for (int round = 0; round < 25; ++round) {
        const int size = random.between(2, 40), at = random.between(0, size - 1);
        bool has_thrown = false;
        try {
            bough::parallel_for(0, size, [&](int i) {
                work(20);
                if (i == at)
                    throw i;
            });
        } catch (int i) {
            check_equal(i, at, "thrown");
            has_thrown = true;
        }
        check(has_thrown, "a loop that threw returned", round, at);
    }
}
const known throwing_loops_is("throwing_loops", throwing_loops);

}  // namespace
}  // namespace simulated
