#pragma once
// Ranges for the tests of parallel_for_each.

#include "unit/api_erased.h"

#include <bough/parallel_for_each.h>

#include <forward_list>
#include <iterator>
#include <list>
#include <numeric>

namespace bough_test {

// An input iterator: single pass; its values are made on the way.
template <class Value>
class source {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = const Value*;
    using reference = Value;

    explicit source(int n) : n_(n) {}
    Value operator*() const { return Value(n_); }
    source& operator++() {
        ++n_;
        return *this;
    }
    source operator++(int) { return source(n_++); }
    bool operator==(const source& other) const { return n_ == other.n_; }
    bool operator!=(const source& other) const { return n_ != other.n_; }

private:
    int n_;
};
using counter = source<int>;

inline std::size_t index(int n) {
    return static_cast<std::size_t>(n);
}

template <class Container>
Container filled(int size) {
    std::vector<int> numbers(index(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    return Container(numbers.begin(), numbers.end());
}

}  // namespace bough_test
