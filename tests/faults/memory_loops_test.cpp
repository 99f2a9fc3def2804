// Loops, reductions, scans, sorts while memory fails.

#include "faults/memory_support.h"

namespace {

using bough::blocked_range;
using bough_test::fault_sweep;
using bough_test::trial;
using range = blocked_range<std::size_t>;

range all(const trial& t) {
    return range(0, t.size());
}

// A range of its own, which is copied and split.
struct own_range {
    std::size_t first, last;
    own_range(std::size_t f, std::size_t l) : first(f), last(l) {}
    own_range(own_range& r, bough::split) : first(r.first + (r.last - r.first) / 2), last(r.last) {
        r.last = first;
    }
    bool empty() const { return first >= last; }
    bool is_divisible() const { return last - first > 1; }
    std::size_t begin() const { return first; }
    std::size_t end() const { return last; }
};

struct visit_range {
    trial& t;
    template <class Range>
    void operator()(const Range& r) const {
        for (std::size_t i = r.begin(); i < r.end(); ++i)
            t.visit(i);
    }
};

TEST(memory_fails, parallel_for) {
    bough_test::for_each_partitioner([](const char* name, auto& partitioner) {
        fault_sweep(std::string("parallel_for, ") + name, 300).run([&](trial& t) {
            bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); }, partitioner);
            return true;
        });
        fault_sweep(std::string("parallel_for, own range, ") + name, 300).run([&](trial& t) {
            bough::parallel_for(own_range(0, t.size()), visit_range{t}, partitioner);
            return true;
        });
    });
    fault_sweep("parallel_for, a fresh affinity_partitioner", 300).run([](trial& t) {
        bough::affinity_partitioner fresh;
        for (std::size_t half : {std::size_t{0}, std::size_t{150}})
            bough::parallel_for(half, half + 150, [&](std::size_t i) { t.visit(i); }, fresh);
        return true;
    });
    fault_sweep("parallel_for, two dimensions", 400).run([](trial& t) {
        bough::parallel_for(bough::blocked_range2d<std::size_t>(0, 20, 0, 20), [&](const auto& r) {
            for (std::size_t i = r.rows().begin(); i < r.rows().end(); ++i)
                for (std::size_t j = r.cols().begin(); j < r.cols().end(); ++j)
                    t.visit(i * 20 + j);
        });
        return true;
    });
    fault_sweep("parallel_for, morsels", 300).run([](trial& t) {
        bough::parallel_for(all(t), visit_range{t}, bough::morsel_partitioner(64, 128));
        return true;
    });
    fault_sweep("parallel_for, context", 300).run([](trial& t) {
        bough::task_group_context context;
        bough::parallel_for(all(t), visit_range{t}, context);
        return true;
    });
}

TEST(memory_fails, nested_loops) {
    fault_sweep("nested loops", 300).run([](trial& t) {
        bough::parallel_for(0u, 10u, [&](unsigned i) {
            bough::parallel_for(0u, 5u, [&](unsigned j) {
                bough::parallel_for(0u, 6u, [&](unsigned k) { t.visit(i * 30 + j * 6 + k); });
            });
        });
        return true;
    });
    // Deeper than a slot has parts from the start.
    fault_sweep("loops nested 20 deep", 2).run([](trial& t) {
        struct nest {
            trial& seen;
            void enter(int depth) const {
                bough::parallel_for(0, 2, [&](int i) {
                    if (i == 0 && depth > 0)
                        enter(depth - 1);
                    else if (depth == 0)
                        seen.visit(static_cast<std::size_t>(i));
                });
            }
        };
        nest{t}.enter(20);
        return true;
    });
}

TEST(memory_fails, parallel_for_each) {
    fault_sweep("parallel_for_each, random access", 300).run([](trial& t) {
        bough::parallel_for_each(t.numbers, [&](int i) { t.visit(static_cast<std::size_t>(i)); });
        return true;
    });
    // All items but the first come by the feeder.
    fault_sweep("parallel_for_each, feeder", 100).run([](trial& t) {
        const auto begin = t.numbers.begin();
        bough::parallel_for_each(begin, begin + 1, [&](int i, bough::feeder<int>& more) {
            t.visit(static_cast<std::size_t>(i));
            for (int next = i + 1; i % 10 == 0 && next <= i + 10 && next < 100; ++next)
                more.add(next);
        });
        return true;
    });
}

// An iterator that goes forward only.
struct forward_number {
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::size_t*;
    using reference = const std::size_t&;
    std::size_t at;
    const std::size_t& operator*() const { return at; }
    forward_number& operator++() {
        ++at;
        return *this;
    }
    friend bool operator==(const forward_number& a, const forward_number& b) { return a.at == b.at; }
    friend bool operator!=(const forward_number& a, const forward_number& b) { return a.at != b.at; }
};
struct input_number : forward_number {
    using iterator_category = std::input_iterator_tag;
    using reference = std::size_t;
    std::size_t operator*() const { return at; }
};

TEST(memory_fails, parallel_for_each_of_other_iterators) {
    fault_sweep("parallel_for_each, forward", 700).run([](trial& t) {
        bough::parallel_for_each(forward_number{0}, forward_number{t.size()},
                                 [&](std::size_t i) { t.visit(i); });
        return true;
    });
    fault_sweep("parallel_for_each, input", 700).run([](trial& t) {
        bough::parallel_for_each(input_number{{0}}, input_number{{t.size()}},
                                 [&](std::size_t i) { t.visit(i); });
        return true;
    });
}

const auto add_range = [](trial& t) {
    return [&t](const auto& r, std::size_t sum) {
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
            t.visit(i);
            sum += i;
        }
        return sum;
    };
};

struct summing_body {
    trial& t;
    std::size_t sum = 0;
    explicit summing_body(trial& seen) : t(seen) {}
    summing_body(summing_body& other, bough::split) : t(other.t) {}
    template <class Range>
    void operator()(const Range& r) {
        sum = add_range(t)(r, sum);
    }
    void join(summing_body& right) { sum += right.sum; }
};

TEST(memory_fails, parallel_reduce) {
    bough_test::for_each_partitioner([](const char* name, auto& partitioner) {
        fault_sweep(std::string("parallel_reduce, functional, ") + name, 300).run([&](trial& t) {
            return bough::parallel_reduce(all(t), std::size_t{0}, add_range(t), std::plus<>(), partitioner) ==
                   t.expected;
        });
        fault_sweep(std::string("parallel_reduce, imperative, ") + name, 300).run([&](trial& t) {
            summing_body body(t);
            bough::parallel_reduce(own_range(0, t.size()), body, partitioner);
            return body.sum == t.expected;
        });
    });
}

template <class Partitioner>
void reduce_deterministically(const char* name, const Partitioner& partitioner) {
    fault_sweep(std::string("deterministic reduce, ") + name, 300).run([&](trial& t) {
        return bough::parallel_deterministic_reduce(all(t), std::size_t{0}, add_range(t), std::plus<>(),
                                                    partitioner) == t.expected;
    });
    fault_sweep(std::string("deterministic reduce, imperative, own range, ") + name, 300).run([&](trial& t) {
        summing_body body(t);
        bough::parallel_deterministic_reduce(own_range(0, t.size()), body, partitioner);
        return body.sum == t.expected;
    });
}

TEST(memory_fails, parallel_deterministic_reduce) {
    reduce_deterministically("auto", bough::auto_partitioner());
    reduce_deterministically("simple", bough::simple_partitioner());
    reduce_deterministically("static", bough::static_partitioner());
}

// Elements count in the final scan.
const auto scan_range = [](trial& t) {
    return [&t](const auto& r, std::size_t sum, bool is_final) {
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
            if (is_final)
                t.visit(i);
            sum += i;
        }
        return sum;
    };
};

TEST(memory_fails, scans) {
    const auto run = [](const char* name, auto partitioner) {
        fault_sweep(std::string("parallel_scan, ") + name, 400).run([&](trial& t) {
            return bough::parallel_scan(all(t), std::size_t{0}, scan_range(t), std::plus<>(), partitioner) ==
                   t.expected;
        });
        fault_sweep(std::string("parallel_deterministic_scan, ") + name, 400).run([&](trial& t) {
            return bough::parallel_deterministic_scan(all(t), std::size_t{0}, scan_range(t), std::plus<>(),
                                                      partitioner) == t.expected;
        });
    };
    run("auto", bough::auto_partitioner());
    run("simple", bough::simple_partitioner());
}

TEST(memory_fails, parallel_sort) {
    // What was in the range is in it whatever happens: that is what "seen" means here.
    const auto look_through = [](trial& t, bool) {
        for (const int i : t.numbers)
            t.find(static_cast<std::size_t>(i));
    };
    for (const std::size_t n : {std::size_t{3000}, std::size_t{150000}})
        fault_sweep("parallel_sort of " + std::to_string(n), n)
            .run(
                [](trial& t) {
                    bough::parallel_sort(t.numbers);
                    return std::is_sorted(t.numbers.begin(), t.numbers.end());
                },
                look_through);
}

}  // namespace
