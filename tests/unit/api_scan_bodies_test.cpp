// What parallel_scan and parallel_deterministic_scan do with bodies that users write: every part is scanned
// finally once, by a body that holds exactly what lies to the left of it.
#include "unit/api_scan_support.h"

using namespace bough_test;

namespace {

class any_scan_bodies : public any_scan {};
INSTANTIATE_TEST_SUITE_P(scans, any_scan_bodies, both_scans(), scan_name);

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

TEST_P(any_scan_bodies, each_part_is_scanned_finally_once_behind_all_to_the_left) {
    for (int size : {0, 1, 2, 3, 7, 100, 1000, 100000}) {
        for (int grain : {1, 3, 1000}) {
            for_each_tail([&](scan_tail& tail) {
                visits finals(static_cast<std::size_t>(size));
                tracking_body body(0, finals);
                scan_into(indices(0, size, static_cast<std::size_t>(grain)), body, tail);
                EXPECT_TRUE(finals.each_once());
                EXPECT_EQ(body.begin, 0);
                EXPECT_EQ(body.end, size) << "the body ends with the whole";
            });
        }
    }
}

TEST_P(any_scan_bodies, goes_on_from_what_the_body_holds) {
    visits finals(300);
    tracking_body body(0, finals);
    scan_into(indices(0, 100), body);
    scan_into(indices(100, 100), body);
    scan_tail simple(scan_tail::simple);
    scan_into(indices(100, 300), body, simple);
    EXPECT_EQ(body.end, 300);
    EXPECT_TRUE(finals.each_once());
}

TEST_P(any_scan_bodies, from_many_application_threads) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([] {
            for (budget rounds(20); rounds.next();) {
                visits finals(5000);
                tracking_body body(0, finals);
                scan_into(indices(0, 5000), body);
                EXPECT_TRUE(finals.each_once());
            }
        });
    }
    for (auto& t : threads)
        t.join();
}

// Sums of doubles come out otherwise where they are joined: what is left must be what was written last.
struct running_sum {
    const std::vector<double>& in;
    std::vector<double>& out;
    double sum = 0;
    std::size_t scanned_to = 0;  // finally

    running_sum(const std::vector<double>& from, std::vector<double>& to) : in(from), out(to) {}
    running_sum(running_sum& other, bough::split) : in(other.in), out(other.out) {}
    template <class Tag>
    void operator()(const bough::blocked_range<std::size_t>& r, Tag) {
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
            sum += in[i];
            if (Tag::is_final_scan())
                out[i] = sum;
        }
        if (Tag::is_final_scan())
            scanned_to = r.end();
    }
    void reverse_join(running_sum& left) { sum = left.sum + sum; }
    void assign(running_sum& other) {
        sum = other.sum;
        scanned_to = other.scanned_to;
    }
};

TEST(api_scan, the_body_that_is_left_has_scanned_the_last_part) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{100}, std::size_t{5000}, std::size_t{200'000}}) {
        std::vector<double> in(n), out(n);
        for (std::size_t i = 0; i < n; ++i)
            in[i] = 1.0 / static_cast<double>(i * 7919 % n + 1);
        const bough::blocked_range<std::size_t> all(0, n);
        const auto scan = [&](const auto& r, double sum, bool is_final) {
            for (std::size_t i = r.begin(); i < r.end(); ++i) {
                sum += in[i];
                if (is_final)
                    out[i] = sum;
            }
            return sum;
        };
        for (int round = 0; round < 100; ++round) {
            running_sum body(in, out);
            bough::parallel_scan(all, body);
            ASSERT_EQ(body.scanned_to, n);
            ASSERT_EQ(body.sum, out.back()) << n;
            running_sum fixed(in, out);
            bough::parallel_deterministic_scan(all, fixed);
            ASSERT_EQ(fixed.scanned_to, n);
            ASSERT_EQ(fixed.sum, out.back()) << n;
            ASSERT_EQ(bough::parallel_scan(all, 0.0, scan, std::plus<>()), out.back()) << n;
            ASSERT_EQ(bough::parallel_deterministic_scan(all, 0.0, scan, std::plus<>()), out.back()) << n;
        }
    }
}

}  // namespace
