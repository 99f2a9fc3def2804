// parallel_sort, thrown out of comparisons, moves and swaps.

#include "faults/matrix.h"

namespace {

using namespace throwing;

struct element : tracked {
    element(experiment& e, std::size_t k) : tracked(e), key(k) {}
    element(element&& other) noexcept(false) : tracked(other), key(other.key) {
        of().pass(place::element_move);
    }
    element& operator=(element&& other) noexcept(false) {
        of().pass(place::element_move);
        tracked::operator=(other);
        key = other.key;
        return *this;
    }
    friend void swap(element& a, element& b) noexcept(false) {
        a.of().pass(place::element_swap);
        std::swap(a.key, b.key);
    }
    std::size_t key;
};

bool are_the_same(const std::vector<element>& items) {
    std::vector<bool> found(items.size());
    for (const element& i : items)
        found[i.key] = true;
    return std::find(found.begin(), found.end(), false) == found.end();
}

template <std::size_t n>
bool sort(experiment& e, bough::task_group_context*) {
    std::vector<element> items;
    items.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        items.emplace_back(e, i * 7919 % n);
    const auto less = [&e](const element& a, const element& b) {
        e.pass(place::compare);
        return a.key < b.key;
    };
    try {
        bough::parallel_sort(items, less);
    } catch (...) {
        EXPECT_TRUE(e.where() == place::element_move || are_the_same(items))
            << "a comparison or a swap has thrown, and elements are gone";
        throw;
    }
    for (std::size_t i = 0; i < experiment::elements; ++i)
        e.visit(i);
    return are_the_same(items) && std::is_sorted(items.begin(), items.end(),
                                                 [](const auto& a, const auto& b) { return a.key < b.key; });
}

TEST(throws, parallel_sort) {
    try_all({"sort, by insertion", sort<30>, false, {place::compare, place::element_move}});
    try_all({"sort, serial", sort<1000>, false, {place::compare, place::element_move, place::element_swap}});
    try_all(
        {"sort, in halves", sort<6000>, false, {place::compare, place::element_move, place::element_swap}});
    try_all({"sort, partitions in parallel", sort<40000>, false, {place::compare}});
}

}  // namespace
