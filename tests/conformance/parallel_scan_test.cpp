// tbb::parallel_scan: both forms, every overload; each piece is scanned finally once and with the right sum before it.
#include "support.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_scan.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <type_traits>

using namespace conformance;
using range = tbb::blocked_range<int>;

namespace {

// Calls f with each set of trailing arguments.
template <typename F>
void for_each_tail(const F& f) {
    f();
    f(tbb::simple_partitioner());
    f(tbb::auto_partitioner());
}

std::vector<long> sums_up_to(int size) {
    std::vector<long> sums(static_cast<std::size_t>(size));
    std::iota(sums.begin(), sums.end(), 1L);
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    return sums;
}

// The imperative form: the prefix sums of 1, 2, 3 ...
struct scan_body {
    scan_body(std::vector<long>& o, visits& f) : out(o), finals(f) {}
    scan_body(scan_body& other, tbb::split) : out(other.out), finals(other.finals) {}
    scan_body(const scan_body&) = delete;

    template <typename Tag>
    void operator()(const range& r, Tag tag) {
        static_assert(std::is_same_v<Tag, tbb::pre_scan_tag> || std::is_same_v<Tag, tbb::final_scan_tag>);
        EXPECT_EQ(tag.is_final_scan(), (std::is_same_v<Tag, tbb::final_scan_tag>));
        EXPECT_EQ(bool(tag), tag.is_final_scan());
        EXPECT_FALSE(r.empty());
        for (int i = r.begin(); i != r.end(); ++i) {
            sum += i + 1;
            if (tag) {
                out[std::size_t(i)] = sum;
                finals.add(std::size_t(i));
            }
        }
    }
    void reverse_join(scan_body& left) { sum += left.sum; }
    void assign(scan_body& other) { sum = other.sum; }

    std::vector<long>& out;
    visits& finals;
    long sum = 0;
};

TEST(parallel_scan, imperative_forms) {
    for_widths([] {
        for (int size : {0, 1, 2, 7, 1000, 5000}) {
            for_each_tail([size](auto&&... tail) {
                std::vector<long> out(static_cast<std::size_t>(size));
                visits finals(out.size());
                scan_body body(out, finals);
                tbb::parallel_scan(range(0, size), body, tail...);
                EXPECT_EQ(out, sums_up_to(size));
                EXPECT_TRUE(finals.each_once()) << "one final scan of each element";
                EXPECT_EQ(body.sum, long(size) * (size + 1) / 2) << "the body ends with the whole";
            });
        }
    });
}

TEST(parallel_scan, functional_forms) {
    for_widths([] {
        for (int size : {0, 1, 2, 7, 1000, 5000}) {
            for_each_tail([size](auto&&... tail) {
                std::vector<long> out(static_cast<std::size_t>(size));
                visits finals(out.size());
                const auto scan = [&](const range& r, long sum, bool is_final) {
                    for (int i = r.begin(); i != r.end(); ++i) {
                        sum += i + 1;
                        if (is_final) {
                            out[std::size_t(i)] = sum;
                            finals.add(std::size_t(i));
                        }
                    }
                    return sum;
                };
                EXPECT_EQ(tbb::parallel_scan(range(0, size), 0L, scan, std::plus<long>(), tail...),
                          long(size) * (size + 1) / 2);
                EXPECT_EQ(out, sums_up_to(size));
                EXPECT_TRUE(finals.each_once());
            });
        }
    });
}

TEST(parallel_scan, an_empty_range_gives_the_identity) {
    for_each_tail([](auto&&... tail) {
        const auto never = [](const range&, int x, bool) {
            ADD_FAILURE();
            return x;
        };
        EXPECT_EQ(tbb::parallel_scan(range(3, 3), 17, never, std::plus<int>(), tail...), 17);
    });
}

TEST(parallel_scan, the_order_of_the_operands_is_kept) {
    std::string expected;
    for (int i = 0; i < 300; ++i)
        expected += std::to_string(i) + ",";
    for_widths([&] {
        for_each_tail([&](auto&&... tail) {
            std::vector<std::size_t> lengths(300);
            const auto scan = [&](const range& r, std::string text, bool is_final) {
                std::this_thread::sleep_for(
                    std::chrono::microseconds(20));  // so that others may come to help
                for (int i = r.begin(); i != r.end(); ++i) {
                    text += std::to_string(i) + ",";
                    if (is_final) {
                        EXPECT_EQ(text, expected.substr(0, text.size()));
                        lengths[std::size_t(i)] = text.size();
                    }
                }
                return text;
            };
            EXPECT_EQ(
                tbb::parallel_scan(range(0, 300, 3), std::string(), scan, std::plus<std::string>(), tail...),
                expected);
            EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end()));
            EXPECT_EQ(lengths.back(), expected.size());
        });
    });
}

TEST(parallel_scan, in_place) {
    for_widths([] {
        for (int round = 0; round < 20; ++round) {
            std::vector<long> numbers(3000, 1);
            const auto scan = [&](const range& r, long sum, bool is_final) {
                for (int i = r.begin(); i != r.end(); ++i) {
                    sum += numbers[std::size_t(i)];
                    if (is_final)
                        numbers[std::size_t(i)] = sum;
                }
                return sum;
            };
            EXPECT_EQ(tbb::parallel_scan(range(0, 3000), 0L, scan, std::plus<long>()), 3000);
            std::vector<long> expected(3000);
            std::iota(expected.begin(), expected.end(), 1L);
            ASSERT_EQ(numbers, expected);
        }
    });
}

TEST(parallel_scan, every_body_that_is_split_off_is_destroyed) {
    struct body {
        explicit body(std::atomic<int>& a) : alive(a) { ++alive; }
        body(body& other, tbb::split) : alive(other.alive) { ++alive; }
        ~body() { --alive; }
        void operator()(const range&, tbb::pre_scan_tag) {}
        void operator()(const range&, tbb::final_scan_tag) {}
        void reverse_join(body&) {}
        void assign(body&) {}
        std::atomic<int>& alive;
    };
    for_widths([] {
        for_each_tail([](auto&&... tail) {
            std::atomic<int> alive{0};
            {
                body b(alive);
                tbb::parallel_scan(range(0, 1000), b, tail...);
                EXPECT_EQ(alive, 1);
            }
            EXPECT_EQ(alive, 0);
        });
    });
}

TEST(parallel_scan, nested_in_a_loop_and_from_many_threads) {
    const auto total = [](int size) {
        const auto scan = [](const range& r, long sum, bool) { return sum + long(r.size()); };
        return tbb::parallel_scan(range(0, size), 0L, scan, std::plus<long>());
    };
    for_widths([&] { tbb::parallel_for(0, 50, [&](int i) { EXPECT_EQ(total(i * 10), i * 10); }); });
    run_threads(4, [&](int) {
        for (int round = 0; round < 20; ++round)
            EXPECT_EQ(total(500), 500);
    });
}

TEST(parallel_scan, throws_from_the_scan) {
    for_widths([] {
        for_each_tail([](auto&&... tail) {
            const auto fail = [](const range& r, int x, bool) {
                for (int i = r.begin(); i != r.end(); ++i) {
                    if (i == 500)
                        throw test_error(500);
                }
                return x;
            };
            EXPECT_EQ(number_thrown_by(
                          [&] { tbb::parallel_scan(range(0, 1000), 0, fail, std::plus<int>(), tail...); }),
                      500);
        });
    });
}

// Every place where a body can throw.
enum class place { call, split, reverse_join, assign };

struct failing_body {
    failing_body(place where, std::atomic<bool>& thrown) : where_(where), thrown_(thrown) {}
    failing_body(failing_body& other, tbb::split) : where_(other.where_), thrown_(other.thrown_) {
        visit(place::split);
    }
    void operator()(const range&, tbb::pre_scan_tag) { visit(place::call); }
    void operator()(const range&, tbb::final_scan_tag) { visit(place::call); }
    void reverse_join(failing_body&) { visit(place::reverse_join); }
    void assign(failing_body&) { visit(place::assign); }
    void visit(place here) {
        if (here == where_) {
            thrown_ = true;
            throw test_error(int(here));
        }
    }
    place where_;
    std::atomic<bool>& thrown_;
};

TEST(parallel_scan, throws_from_every_place) {
    for_widths([] {
        for (place where : {place::call, place::split, place::reverse_join, place::assign}) {
            for_each_tail([where](auto&&... tail) {
                std::atomic<bool> thrown{false};
                failing_body body(where, thrown);
                // How often bodies are split and joined is the engine's affair; but what is thrown must arrive.
                try {
                    tbb::parallel_scan(range(0, 1000), body, tail...);
                    EXPECT_FALSE(thrown);
                } catch (const test_error& e) {
                    EXPECT_EQ(e.number, int(where));
                }
            });
        }
    });
}

}  // namespace
