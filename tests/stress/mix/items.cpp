// parallel_for_each with all kinds of iterator and with a feeder, parallel_sort, parallel_pipeline.

#include <bough/parallel_for_each.h>
#include <bough/parallel_pipeline.h>
#include <bough/parallel_sort.h>

#include <algorithm>
#include <forward_list>
#include <iterator>
#include <memory>
#include <numeric>
#include <vector>

#include "stress/mix/operations.h"
#include "stress/mix/trial.h"

namespace mix {
namespace {

// 0, 1, 2 ..., read once.
class numbers {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using reference = std::size_t;
    using pointer = void;

    explicit numbers(std::size_t at) : at_(at) {}
    std::size_t operator*() const { return at_; }
    numbers& operator++() {
        ++at_;
        return *this;
    }
    numbers operator++(int) { return numbers(at_++); }
    friend bool operator==(const numbers&, const numbers&) = default;

private:
    std::size_t at_;
};

// An item of a pipeline, and how many of them there are.
class token {
public:
    token(std::size_t number, std::atomic<long>& alive)
        : number_(std::make_unique<std::size_t>(number)), alive_(&alive) {
        alive.fetch_add(1, std::memory_order_relaxed);
    }
    token(token&& other) noexcept = default;
    token& operator=(token&&) = delete;
    ~token() {
        if (number_)
            alive_->fetch_sub(1, std::memory_order_relaxed);
    }
    std::size_t number() const { return *number_; }

private:
    std::unique_ptr<std::size_t> number_;
    std::atomic<long>* alive_;
};

bough::filter_mode any_mode(dice& roll) {
    constexpr bough::filter_mode modes[] = {bough::filter_mode::parallel, bough::filter_mode::serial_in_order,
                                            bough::filter_mode::serial_out_of_order};
    return modes[roll.below(3)];
}

// Of a filter that is serial: nobody else is in it.
class alone {
public:
    alone(const scope& s, int& inside) : scope_(s), inside_(inside) {
        require(s, inside_++ == 0, "two threads in a serial filter");
    }
    ~alone() { require(scope_, --inside_ == 0, "two threads in a serial filter"); }
    alone(const alone&) = delete;
    alone& operator=(const alone&) = delete;

private:
    const scope& scope_;
    int& inside_;
};

}  // namespace

void for_each_item(scope& s) {
    trial t(s, some(s.roll));
    const auto visit = [&](std::size_t i) { t.visit(i); };
    t.run([&](auto& context) {
        switch (s.roll.below(3)) {
        case 0: {
            std::vector<std::size_t> items(t.size());
            std::iota(items.begin(), items.end(), std::size_t{0});
            bough::parallel_for_each(items, visit, context);
            break;
        }
        case 1: {
            std::forward_list<std::size_t> items;
            for (std::size_t i = t.size(); i > 0; --i)
                items.push_front(i - 1);
            bough::parallel_for_each(items, visit, context);
            break;
        }
        default:
            bough::parallel_for_each(numbers(0), numbers(t.size()), visit, context);
        }
    });
}

// Item i feeds its children in a tree of random width.
void feed(scope& s) {
    trial t(s, some(s.roll));
    const std::size_t width = s.roll.between(1, 5), roots = std::min(t.size(), s.roll.between(1, 4));
    t.run([&](auto& context) {
        const auto body = [&](std::size_t i, bough::feeder<std::size_t>& feeder) {
            for (std::size_t k = 0; k < width; ++k)
                if (const std::size_t child = roots + i * width + k; child < t.size())
                    feeder.add(child);
            t.visit(i);
        };
        bough::parallel_for_each(numbers(0), numbers(roots), body, context);
    });
}

void sort(scope& s) {
    std::vector<std::uint64_t> items(s.roll.one_in(8) ? s.roll.below(20000) : some(s.roll));
    const std::uint64_t distinct = s.roll.one_in(2) ? ~std::uint64_t{0} : s.roll.between(1, 20);
    for (std::uint64_t& item : items)
        item = s.roll.next() % distinct;
    std::vector<std::uint64_t> expected = items;
    std::sort(expected.begin(), expected.end());
    if (s.roll.one_in(4))
        items = expected;
    // One comparison of so many throws, if it comes to that.
    std::atomic<long> left{s.roll.one_in(4) ? static_cast<long>(s.roll.below(items.size() + 1)) : -1};
    const bool may_throw = left.load() >= 0;
    bool has_thrown = false;
    try {
        bough::parallel_sort(items, [&](std::uint64_t a, std::uint64_t b) {
            if (may_throw && left.fetch_sub(1, std::memory_order_relaxed) == 0)
                throw thrown{s.key};
            return a < b;
        });
    } catch (const thrown& error) {
        require(s, may_throw && error.key == s.key, "threw what is another operation's");
        has_thrown = true;
        done.exceptions.fetch_add(1, std::memory_order_relaxed);
    }
    if (may_throw && !s.may_stop)
        require(s, has_thrown == (left.load() < 0), "did not throw what its comparison threw");
    if (has_thrown || s.may_stop)
        std::sort(items.begin(), items.end());  // the same elements in some order
    require(s, items == expected, "not sorted");
}

void pipeline(scope& s) {
    using bough::filter_mode;
    trial t(s, some(s.roll));
    std::atomic<long> alive{0};
    std::size_t next = 0, last_in_order = 0;
    int in_middle = 0, in_last = 0;
    const filter_mode input =
        s.roll.one_in(2) ? filter_mode::serial_in_order : filter_mode::serial_out_of_order;
    const filter_mode middle = any_mode(s.roll), output = any_mode(s.roll);
    const std::size_t tokens = s.roll.between(1, 16);
    const bool nests_in_middle = s.roll.one_in(2);
    t.run([&](auto& context) {
        const auto read = [&](bough::flow_control& control) {
            if (next == t.size())
                control.stop();
            return token(next++, alive);
        };
        const auto change = [&](token item) {
            if (middle != filter_mode::parallel) {
                const alone here(s, in_middle);
                if (nests_in_middle)
                    t.visit(item.number());
            } else if (nests_in_middle) {
                t.visit(item.number());
            }
            return item;
        };
        const auto write = [&](token item) {
            if (input == filter_mode::serial_in_order && output == filter_mode::serial_in_order) {
                require(s, item.number() >= last_in_order, "an item overtook another one");
                last_in_order = item.number() + 1;
            }
            if (output != filter_mode::parallel) {
                const alone here(s, in_last);
                work_a_little(20);
            }
            if (!nests_in_middle)
                t.visit(item.number());
        };
        bough::parallel_pipeline(tokens, bough::make_filter<void, token>(input, read),
                                 bough::make_filter<token, token>(middle, change),
                                 bough::make_filter<token, void>(output, write), context);
    });
    require(s, alive.load() == 0, "items of a pipeline were not destroyed");
}

}  // namespace mix
