// parallel_scan and parallel_deterministic_scan: every part is scanned finally once, by a body that holds exactly what lies
// to the left of it; the result is the sum of everything.
#include "api_support.h"

#include <bough/parallel_scan.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

using namespace bough_test;
using indices = bough::blocked_range<int>;

namespace {

struct free_scan {
    template <class... Args>
    auto operator()(Args&&... args) const {
        return bough::parallel_scan(std::forward<Args>(args)...);
    }
};
struct deterministic_scan {
    template <class... Args>
    auto operator()(Args&&... args) const {
        return bough::parallel_deterministic_scan(std::forward<Args>(args)...);
    }
};

template <class Scan>
class any_scan : public ::testing::Test {};
using scans = ::testing::Types<free_scan, deterministic_scan>;
TYPED_TEST_SUITE(any_scan, scans);

// Calls f with each set of trailing arguments.
template <class F>
void for_each_tail(F&& f) {
    bough::task_group_context contexts[3];
    f();
    f(bough::auto_partitioner());
    f(bough::simple_partitioner());
    f(contexts[0]);
    f(bough::auto_partitioner(), contexts[1]);
    f(bough::simple_partitioner(), contexts[2]);
}

// Knows which indices it has seen: they lie together, and a final scan begins with all that lie to the left. Cannot be
// copied, moved, assigned or made from nothing.
struct tracking_body {
    tracking_body(int from, visits& f) : origin(from), begin(from), end(from), finals(f) {}
    tracking_body(tracking_body& other, bough::split) : origin(other.origin), finals(other.finals) {}
    tracking_body(const tracking_body&) = delete;
    tracking_body& operator=(const tracking_body&) = delete;

    template <class Tag>
    void operator()(const indices& r, Tag) {
        EXPECT_FALSE(r.empty());
        if (begin < 0)
            begin = end = r.begin();
        EXPECT_EQ(r.begin(), end);
        if (Tag::is_final_scan()) {
            EXPECT_EQ(begin, origin);
            finals.hit_range(r);
        }
        end = r.end();
    }
    void reverse_join(tracking_body& left) {
        EXPECT_EQ(left.end, begin);
        begin = left.begin;
    }
    void assign(tracking_body& other) {
        begin = other.begin;
        end = other.end;
    }

    int origin;
    int begin = -1, end = -1;
    visits& finals;
};

TYPED_TEST(any_scan, each_part_is_scanned_finally_once_behind_all_to_the_left) {
    for (int size : {0, 1, 2, 3, 7, 100, 1000, 100000}) {
        for (int grain : {1, 3, 1000}) {
            for_each_tail([&](auto&&... tail) {
                visits finals(static_cast<std::size_t>(size));
                tracking_body body(0, finals);
                TypeParam()(indices(0, size, static_cast<std::size_t>(grain)), body, tail...);
                EXPECT_TRUE(finals.each_once());
                EXPECT_EQ(body.begin, 0);
                EXPECT_EQ(body.end, size) << "the body ends with the whole";
            });
        }
    }
}

// Long enough to be handed out, in windows that grow.
TYPED_TEST(any_scan, with_helpers) {
    for (budget rounds(20); rounds.next();) {
        for_each_tail([](auto&&... tail) {
            constexpr int size = 20000;
            std::vector<long> out(size);
            const auto scan = [&](const indices& r, long sum, bool is_final) {
                for (int i = r.begin(); i != r.end(); ++i) {
                    work_a_little(100);
                    sum += i;
                    if (is_final)
                        out[static_cast<std::size_t>(i)] = sum;
                }
                return sum;
            };
            ASSERT_EQ(TypeParam()(indices(0, size, 10), 0L, scan, std::plus<>(), tail...),
                      long{size} * (size - 1) / 2);
            for (long i = 0; i < size; ++i)
                ASSERT_EQ(out[static_cast<std::size_t>(i)], i * (i + 1) / 2);
        });
    }
}

TYPED_TEST(any_scan, the_join_need_not_commute) {
    std::string expected;
    for (int i = 0; i < 2000; ++i)
        expected += std::to_string(i) + ",";
    for_each_tail([&](auto&&... tail) {
        std::vector<std::size_t> lengths(2000);
        const auto scan = [&](const indices& r, std::string text, bool is_final) {
            for (int i = r.begin(); i != r.end(); ++i) {
                work_a_little();
                text += std::to_string(i) + ",";
                if (is_final) {
                    EXPECT_EQ(text, expected.substr(0, text.size()));
                    lengths[static_cast<std::size_t>(i)] = text.size();
                }
            }
            return text;
        };
        EXPECT_EQ(TypeParam()(indices(0, 2000), std::string(), scan, std::plus<>(), tail...), expected);
        EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end()));
        EXPECT_EQ(lengths[0], 2u);
    });
}

TYPED_TEST(any_scan, goes_on_from_what_the_body_holds) {
    visits finals(300);
    tracking_body body(0, finals);
    TypeParam()(indices(0, 100), body);
    TypeParam()(indices(100, 100), body);
    TypeParam()(indices(100, 300), body, bough::simple_partitioner());
    EXPECT_EQ(body.end, 300);
    EXPECT_TRUE(finals.each_once());
}

TYPED_TEST(any_scan, an_empty_range_gives_the_identity) {
    const auto never = [](const indices&, int x, bool) {
        ADD_FAILURE();
        return x;
    };
    for_each_tail([&](auto&&... tail) {
        EXPECT_EQ(TypeParam()(indices(5, 5), 17, never, std::plus<>(), tail...), 17);
    });
}

TYPED_TEST(any_scan, simple_partitioner_hands_out_at_most_a_grain) {
    const auto scan = [](const indices& r, int sum, bool) {
        EXPECT_LE(r.size(), 10u);
        EXPECT_GE(r.size(), 5u);
        EXPECT_FALSE(r.is_divisible());
        return sum + static_cast<int>(r.size());
    };
    EXPECT_EQ(TypeParam()(indices(0, 12345, 10), 0, scan, std::plus<>(), bough::simple_partitioner()), 12345);
}

TYPED_TEST(any_scan, in_place) {
    for (budget rounds(20); rounds.next();) {
        std::vector<long> numbers(50000, 1);
        const auto scan = [&](const indices& r, long sum, bool is_final) {
            for (int i = r.begin(); i != r.end(); ++i) {
                sum += numbers[static_cast<std::size_t>(i)];
                if (is_final)
                    numbers[static_cast<std::size_t>(i)] = sum;
            }
            return sum;
        };
        ASSERT_EQ(TypeParam()(indices(0, 50000), 0L, scan, std::plus<>()), 50000);
        std::vector<long> expected(50000);
        std::iota(expected.begin(), expected.end(), 1L);
        ASSERT_EQ(numbers, expected);
    }
}

// No index range: split in thirds, in order.
struct thirds {
    thirds(int b, int e) : begin(b), end(e) {}
    thirds(thirds& r, bough::split) : begin(r.begin + (r.end - r.begin + 2) / 3), end(r.end) {
        r.end = begin;
    }
    bool empty() const { return begin >= end; }
    bool is_divisible() const { return end - begin > 3; }
    int begin, end;
};

TYPED_TEST(any_scan, user_written_ranges) {
    for_each_tail([](auto&&... tail) {
        std::vector<long> out(5000);
        visits finals(5000);
        const auto scan = [&](const thirds& r, long sum, bool is_final) {
            for (int i = r.begin; i < r.end; ++i) {
                sum += i;
                if (is_final) {
                    finals.hit(static_cast<std::size_t>(i));
                    out[static_cast<std::size_t>(i)] = sum;
                }
            }
            return sum;
        };
        EXPECT_EQ(TypeParam()(thirds(0, 5000), 0L, scan, std::plus<>(), tail...), 5000L * 4999 / 2);
        EXPECT_TRUE(finals.each_once());
        for (long i = 0; i < 5000; ++i)
            ASSERT_EQ(out[static_cast<std::size_t>(i)], i * (i + 1) / 2);
    });
}

TYPED_TEST(any_scan, uneven_bodies) {
    for_each_tail([](auto&&... tail) {
        visits finals(3000);
        const auto scan = [&](const indices& r, long sum, bool is_final) {
            for (int i = r.begin(); i != r.end(); ++i) {
                work_a_little(i < 2900 ? 10 : 20000);
                ++sum;
                if (is_final)
                    finals.hit(static_cast<std::size_t>(i));
            }
            return sum;
        };
        EXPECT_EQ(TypeParam()(indices(0, 3000), 0L, scan, std::plus<>(), tail...), 3000);
        EXPECT_TRUE(finals.each_once());
    });
}

TYPED_TEST(any_scan, nested) {
    const auto total = [](int size) {
        const auto scan = [](const indices& r, long sum, bool) { return sum + static_cast<long>(r.size()); };
        return TypeParam()(indices(0, size), 0L, scan, std::plus<>());
    };
    bough::parallel_for(0, 200, [&](int i) { EXPECT_EQ(total(i * 100), i * 100); });
    // A scan whose body runs loops and scans.
    const auto scan = [&](const indices& r, long sum, bool) {
        for (int i = r.begin(); i != r.end(); ++i) {
            std::atomic<long> count{0};
            bough::parallel_for(0, 20, [&](int) {
                work_a_little(100);
                ++count;
            });
            sum += count + total(50);
        }
        return sum;
    };
    EXPECT_EQ(TypeParam()(indices(0, 300), 0L, scan, std::plus<>()), 300 * 70);
}

// A thread that blocks inside of a part must not keep others, nor the scan, from ending.
TYPED_TEST(any_scan, bodies_that_sleep) {
    const auto scan = [&](const indices& r, long sum, bool) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        return sum + static_cast<long>(r.size());
    };
    EXPECT_EQ(TypeParam()(indices(0, 1000), 0L, scan, std::plus<>()), 1000);
    EXPECT_EQ(TypeParam()(indices(0, 100), 0L, scan, std::plus<>(), bough::simple_partitioner()), 100);
}

// The first final scan waits for a part that is scanned ahead: somebody comes, if there is anybody.
TEST(parallel_scan, a_body_that_waits_for_another_part) {
    if (allowed_threads() < 2)
        GTEST_SKIP() << "one thread";
    rendezvous both(2, rendezvous::sleeping);
    std::atomic<bool> front{false}, ahead{false};
    const auto scan = [&](const indices& r, int sum, bool is_final) {
        std::atomic<bool>& first = is_final ? front : ahead;
        if (!first.exchange(true))
            both.arrive_and_wait();
        return sum + static_cast<int>(r.size());
    };
    EXPECT_EQ(bough::parallel_scan(indices(0, 100), 0, scan, std::plus<>()), 100);
    EXPECT_TRUE(both.met());
}

struct counted_body {
    explicit counted_body(std::atomic<int>& a) : alive(a) { ++alive; }
    counted_body(counted_body& other, bough::split) : alive(other.alive) { ++alive; }
    ~counted_body() { --alive; }
    template <class Tag>
    void operator()(const indices&, Tag) {
        work_a_little(500);
    }
    void reverse_join(counted_body&) {}
    void assign(counted_body&) {}
    std::atomic<int>& alive;
};

TYPED_TEST(any_scan, every_body_that_is_split_off_is_destroyed) {
    for_each_tail([](auto&&... tail) {
        std::atomic<int> alive{0};
        {
            counted_body b(alive);
            TypeParam()(indices(0, 3000), b, tail...);
            EXPECT_EQ(alive, 1);
        }
        EXPECT_EQ(alive, 0);
    });
}

// Throws the n-th time that anything is called.
struct failing_body {
    failing_body(std::atomic<int>& l, std::atomic<int>& a) : left(l), alive(a) { ++alive; }
    failing_body(failing_body& other, bough::split) : left(other.left), alive(other.alive) {
        tick();
        ++alive;
    }
    ~failing_body() { --alive; }
    template <class Tag>
    void operator()(const indices&, Tag) {
        work_a_little(300);
        tick();
    }
    void reverse_join(failing_body&) { tick(); }
    void assign(failing_body&) { tick(); }
    void tick() {
        if (left-- == 0)
            throw boom{1};
    }
    std::atomic<int>& left;
    std::atomic<int>& alive;
};

TYPED_TEST(any_scan, throws_from_every_place) {
    for (int calls : {0, 1, 2, 3, 5, 10, 50, 200, 1000}) {
        for_each_tail([calls](auto&&... tail) {
            std::atomic<int> left{calls}, alive{0};
            {
                failing_body body(left, alive);
                try {
                    TypeParam()(indices(0, 2000), body, tail...);
                    EXPECT_GE(left, 0) << "what is thrown arrives";
                } catch (const boom&) {
                    EXPECT_LT(left, 0);
                }
                EXPECT_EQ(alive, 1);
            }
        });
    }
    EXPECT_TRUE(pool_is_usable());
}

TYPED_TEST(any_scan, an_exception_cancels_the_context) {
    bough::task_group_context context;
    std::atomic<int> calls{0};
    const auto fail = [&](const indices& r, int sum, bool) {
        ++calls;
        if (r.begin() <= 500 && 500 < r.end())
            throw boom{500};
        return sum;
    };
    EXPECT_THROW(TypeParam()(indices(0, 1000), 0, fail, std::plus<>(), context), boom);
    EXPECT_TRUE(context.is_group_execution_cancelled());
    calls = 0;
    TypeParam()(indices(0, 1000), 0, fail, std::plus<>(), context);
    EXPECT_EQ(calls, 0) << "nothing is begun under a cancelled context";
}

TYPED_TEST(any_scan, cancelled_from_inside) {
    for (const bool outer : {false, true}) {
        bough::task_group_context context;
        std::atomic<int> finals{0};
        const auto scan = [&](const indices& r, int sum, bool is_final) {
            if (is_final && (finals += static_cast<int>(r.size())) > 100)
                context.cancel_group_execution();
            return sum;
        };
        const auto call = [&](auto&&... tail) {
            TypeParam()(indices(0, 100000), 0, scan, std::plus<>(), bough::simple_partitioner(), tail...);
        };
        if (outer)
            bough::parallel_for(0, 1, [&](int) { call(); }, context);
        else
            call(context);
        EXPECT_LT(finals, 100000);
    }
}

TYPED_TEST(any_scan, from_many_application_threads) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([] {
            for (budget rounds(20); rounds.next();) {
                visits finals(5000);
                tracking_body body(0, finals);
                TypeParam()(indices(0, 5000), body);
                EXPECT_TRUE(finals.each_once());
            }
        });
    }
    for (auto& t : threads)
        t.join();
}

// ---- the same bits ----

template <class Run>
void for_widths(Run&& run) {
    for (int threads : {1, 2, 3, 8})
        bough::task_arena(threads).execute([&] { run(); });
}

double term(int i) {
    return 1.0 / (1 + i % 977) - 1e-3 * i;
}

template <class... Tail>
std::vector<double> sums(int size, const Tail&... tail) {
    std::vector<double> out(static_cast<std::size_t>(size) + 1);
    const auto scan = [&](const indices& r, double sum, bool is_final) {
        for (int i = r.begin(); i != r.end(); ++i) {
            sum += term(i);
            if (is_final)
                out[static_cast<std::size_t>(i)] = sum;
        }
        return sum;
    };
    out.back() = bough::parallel_deterministic_scan(indices(0, size, 3), 0.0, scan, std::plus<>(), tail...);
    return out;
}

TEST(parallel_deterministic_scan, the_same_bits_whatever_the_threads) {
    for (int size : {1, 10, 1000, 100000}) {
        std::vector<double> expected, by_grain;
        for_widths([&] {
            for (budget rounds(5); rounds.next();) {
                auto now = sums(size), simple = sums(size, bough::simple_partitioner());
                if (expected.empty())
                    expected = now, by_grain = simple;
                ASSERT_EQ(std::memcmp(now.data(), expected.data(), now.size() * sizeof(double)), 0);
                ASSERT_EQ(std::memcmp(simple.data(), by_grain.data(), now.size() * sizeof(double)), 0);
            }
        });
        EXPECT_NEAR(expected.back(), by_grain.back(), 1e-6 * std::abs(expected.back()));
    }
}

// The expression of joins and scans itself, with a join that is not associative; a pause lets helpers in.
std::string expression(int size) {
    const auto scan = [](const indices& r, std::string sum, bool) {
        work_a_little(5000);
        return sum + "+" + std::to_string(r.begin()) + "-" + std::to_string(r.end());
    };
    std::vector<std::string> out(static_cast<std::size_t>(size));
    const auto noting = [&](const indices& r, std::string sum, bool is_final) {
        if (is_final)
            out[static_cast<std::size_t>(r.begin())] = sum;
        return scan(r, std::move(sum), is_final);
    };
    const auto join = [](const std::string& a, const std::string& b) { return "(" + a + "|" + b + ")"; };
    std::string all = bough::parallel_deterministic_scan(indices(0, size), std::string(), noting, join);
    for (const auto& s : out)
        all += s + "\n";
    return all;
}

TEST(parallel_deterministic_scan, the_same_joins_whatever_the_threads) {
    for (int size : {1, 5, 64, 300}) {
        std::string expected;
        for_widths([&] {
            for (budget rounds(5); rounds.next();) {
                const std::string now = expression(size);
                if (expected.empty())
                    expected = now;
                ASSERT_EQ(now, expected);
            }
        });
    }
}

}  // namespace
