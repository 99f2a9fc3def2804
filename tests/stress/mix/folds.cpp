// Reductions and scans, of values whose sum is another one in any other order.

#include <bough/blocked_range.h>
#include <bough/parallel_deterministic_reduce.h>
#include <bough/parallel_reduce.h>
#include <bough/parallel_scan.h>

#include <bit>
#include <vector>

#include "stress/mix/operations.h"
#include "stress/mix/partitioners.h"
#include "stress/mix/trial.h"

namespace mix {
namespace {

using indices = bough::blocked_range<std::size_t>;

// x -> factor * x + offset, modulo 2^64. Composition is associative and does not commute.
struct map {
    std::uint64_t factor = 1, offset = 0;

    friend map operator+(const map& first, const map& second) {
        return {first.factor * second.factor, first.offset * second.factor + second.offset};
    }
    bool operator==(const map&) const = default;
};

map element(std::uint64_t key, std::size_t i) {
    const std::uint64_t x = mixed(key, i);
    return {x | 1, x >> 7};
}

map serial_sum(std::uint64_t key, std::size_t n) {
    map sum;
    for (std::size_t i = 0; i < n; ++i)
        sum = sum + element(key, i);
    return sum;
}

indices range_of(scope& s, std::size_t n) {
    return indices(0, n, s.roll.one_in(2) ? 1 : s.roll.between(1, 30));
}

map add_piece(trial& t, std::uint64_t key, const indices& piece, map sum) {
    for (std::size_t i = piece.begin(); i < piece.end(); ++i) {
        t.visit(i);
        sum = sum + element(key, i);
    }
    return sum;
}

struct sum_body {
    sum_body(trial& trial_of, std::uint64_t k) : t(trial_of), key(k) {}
    sum_body(sum_body& other, bough::split) : sum_body(other.t, other.key) {}
    void operator()(const indices& piece) { sum = add_piece(t, key, piece, sum); }
    void join(const sum_body& right) { sum = sum + right.sum; }

    trial& t;
    const std::uint64_t key;
    map sum;
};

}  // namespace

void reduce_by_functions(scope& s) {
    trial t(s, some(s.roll));
    map sum;
    t.run([&](auto& context) {
        const indices range = range_of(s, t.size());
        with_partitioner(s.roll, [&](auto&& partitioner) {
            sum = bough::parallel_reduce(
                range, map(), [&](const indices& piece, map m) { return add_piece(t, s.key, piece, m); },
                [](const map& left, const map& right) { return left + right; }, partitioner, context);
        });
    });
    require(s, !t.is_whole() || sum == serial_sum(s.key, t.size()), "wrong sum");
}

void reduce_by_body(scope& s) {
    trial t(s, some(s.roll));
    sum_body body(t, s.key);
    t.run([&](auto& context) {
        const indices range = range_of(s, t.size());
        with_partitioner(
            s.roll, [&](auto&& partitioner) { bough::parallel_reduce(range, body, partitioner, context); });
    });
    require(s, !t.is_whole() || body.sum == serial_sum(s.key, t.size()), "wrong sum");
}

// Twice, the second time without what is nested: the same bits.
void reduce_deterministically(scope& s) {
    trial t(s, some(s.roll));
    const indices range = range_of(s, t.size());
    const bool halves = s.roll.one_in(2);
    const auto sum_of = [&](auto& context, const auto& visit) {
        const auto add = [&](const indices& piece, double sum) {
            for (std::size_t i = piece.begin(); i < piece.end(); ++i) {
                visit(i);
                sum += 1.0 / static_cast<double>(mixed(s.key, i) % 1000 + 1);
            }
            return sum;
        };
        return halves ? bough::parallel_deterministic_reduce(range, 0.0, add, std::plus<>(),
                                                             bough::simple_partitioner(), context)
                      : bough::parallel_deterministic_reduce(range, 0.0, add, std::plus<>(), context);
    };
    double first = 0;
    t.run([&](auto& context) { first = sum_of(context, [&](std::size_t i) { t.visit(i); }); });
    if (!t.is_whole() || s.may_stop)
        return;
    bough::task_group_context own;
    const double second = sum_of(own, [](std::size_t) {});
    require(s, std::bit_cast<std::uint64_t>(first) == std::bit_cast<std::uint64_t>(second),
            "other bits the second time");
}

void scan(scope& s) {
    trial t(s, some(s.roll));
    std::vector<map> sums(t.size());
    map all;
    t.run([&](auto& context) {
        const indices range = range_of(s, t.size());
        const auto part = [&](const indices& piece, map sum, bool is_final) {
            for (std::size_t i = piece.begin(); i < piece.end(); ++i) {
                sum = sum + element(s.key, i);
                if (is_final) {
                    t.visit(i);
                    sums[i] = sum;
                }
            }
            return sum;
        };
        const auto join = [](const map& left, const map& right) { return left + right; };
        switch (s.roll.below(4)) {
        case 0:
            all = bough::parallel_scan(range, map(), part, join, context);
            break;
        case 1:
            all = bough::parallel_scan(range, map(), part, join, bough::simple_partitioner(), context);
            break;
        case 2:
            all = bough::parallel_deterministic_scan(range, map(), part, join, context);
            break;
        default:
            all = bough::parallel_deterministic_scan(range, map(), part, join, bough::simple_partitioner(),
                                                     context);
        }
    });
    if (!t.is_whole())
        return;
    map sum;
    for (std::size_t i = 0; i < t.size(); ++i) {
        sum = sum + element(s.key, i);
        require(s, sums[i] == sum, "wrong running sum");
    }
    require(s, all == sum, "wrong sum of everything");
}

}  // namespace mix
