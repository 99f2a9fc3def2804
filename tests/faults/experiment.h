#pragma once
// Objects of user code that throw where and when they are told, and of which each is known to be alive or dead.

#include <array>
#include <atomic>
#include <cstdint>
#include <iterator>
#include <thread>

#include <bough/split.h>

namespace throwing {

// What of user code is called.
enum class place : std::uint8_t {
    nowhere,
    copy,    // of a body, a function, a value
    move,    // of these
    split,   // a body's splitting constructor
    call,    // operator()
    join,    // and reverse_join
    assign,  // of a scan's body
    range_copy,
    range_split,
    range_empty,
    range_divisible,
    compare,
    element_move,  // of what is sorted: construction and assignment
    element_swap,
    dereference,
    increment,
    item_copy,  // of what an iterator gives, or goes through a pipeline
    input,      // filters
    middle,
    output
};
inline constexpr std::size_t places = static_cast<std::size_t>(place::output) + 1;

struct thrown {
    place where;
    long occurrence;
};

class experiment {
public:
    static constexpr std::size_t elements = 96;
    static constexpr long every = -2;

    // At the occurrence of that number, counted from 0; or at every one.
    void begin(place where, long occurrence) {
        where_ = where;
        occurrence_ = occurrence;
        for (auto& p : passed_)
            p.store(0);
        for (auto& s : seen_)
            s.store(0);
        thrown_ = late_ = alive_ = twice_dead_ = 0;
        over_ = are_several_ = false;
        first_ = std::thread::id();
    }
    void end() { over_ = true; }

    void pass(place p) {
        late_ += over_ ? 1 : 0;
        const long k = passed_[static_cast<std::size_t>(p)].fetch_add(1);
        if (p != where_ || (occurrence_ != every && k != occurrence_))
            return;
        ++thrown_;
        throw thrown{p, k};
    }

    // An element is seen; lets another thread come by, but does not insist.
    void visit(std::size_t i) {
        late_ += over_ ? 1 : 0;
        ++seen_[i % elements];
        const auto me = std::this_thread::get_id();
        std::thread::id nobody;
        if (!first_.compare_exchange_strong(nobody, me) && nobody != me)
            are_several_ = true;
        for (int yields = 0; yields < 4 && !are_several_; ++yields)
            std::this_thread::yield();
    }

    void born() { ++alive_; }
    void died(std::uint32_t& magic) {
        twice_dead_ += magic == is_alive ? 0 : 1;
        magic = is_dead;
        --alive_;
    }
    static constexpr std::uint32_t is_alive = 0x600dbeef, is_dead = 0xdeadbeef;

    place where() const { return where_; }
    long passed(place p) const { return passed_[static_cast<std::size_t>(p)]; }
    long times_thrown() const { return thrown_; }
    long late() const { return late_; }
    long alive() const { return alive_; }
    long twice_dead() const { return twice_dead_; }
    bool each_seen_once() const {
        for (const auto& s : seen_)
            if (s != 1)
                return false;
        return true;
    }
    bool none_seen_twice() const {
        for (const auto& s : seen_)
            if (s > 1)
                return false;
        return true;
    }

private:
    place where_ = place::nowhere;
    long occurrence_ = 0;
    std::array<std::atomic<long>, places> passed_{};
    std::array<std::atomic<int>, elements> seen_{};
    std::atomic<long> thrown_{0}, late_{0}, alive_{0}, twice_dead_{0};
    std::atomic<bool> over_{false}, are_several_{false};
    std::atomic<std::thread::id> first_{};
};

// Is counted while it is alive.
class tracked {
public:
    explicit tracked(experiment& e) : e_(&e) { e.born(); }
    tracked(const tracked& other) : e_(other.e_) { e_->born(); }
    tracked& operator=(const tracked& other) {
        is_used();
        e_ = other.e_;
        return *this;
    }
    ~tracked() { e_->died(magic_); }

    experiment& of() const { return *e_; }

private:
    void is_used() {
        if (magic_ != experiment::is_alive)  // assigned to after its end
            e_->died(magic_), e_->born();
    }

    experiment* e_;
    std::uint32_t magic_ = experiment::is_alive;
};

// Copied and moved like a function object, and throws then.
struct copied : tracked {
    explicit copied(experiment& e) : tracked(e) {}
    copied(const copied& other) : tracked(other) { of().pass(place::copy); }
    copied(copied&& other) noexcept(false) : tracked(other) { of().pass(place::move); }
    copied& operator=(const copied& other) {
        of().pass(place::copy);
        tracked::operator=(other);
        return *this;
    }
    copied& operator=(copied&& other) noexcept(false) {
        of().pass(place::move);
        tracked::operator=(other);
        return *this;
    }
};

// A sum that throws when it is copied or moved.
struct sum : copied {
    explicit sum(experiment& e, std::size_t v = 0) : copied(e), value(v) {}
    sum(const sum&) = default;
    sum(sum&&) = default;
    sum& operator=(const sum&) = default;
    sum& operator=(sum&&) = default;
    std::size_t value;
};

// [first, last), of a kind that bough does not know. Split is the tag.
template <class Split>
struct basic_range : tracked {
    basic_range(experiment& e, std::size_t f, std::size_t l) : tracked(e), first(f), last(l) {}
    basic_range(const basic_range& other) : tracked(other), first(other.first), last(other.last) {
        of().pass(place::range_copy);
    }
    basic_range(basic_range& other, Split) : tracked(other), first(0), last(other.last) {
        of().pass(place::range_split);
        first = other.first + (other.last - other.first) / 2;
        other.last = first;
    }
    bool empty() const {
        of().pass(place::range_empty);
        return first >= last;
    }
    bool is_divisible() const {
        of().pass(place::range_divisible);
        return last - first > 3;
    }
    std::size_t begin() const { return first; }
    std::size_t end() const { return last; }

    std::size_t first, last;
};
using range = basic_range<bough::split>;

// Numbers from 0, by an iterator of that category.
template <class Category>
class counting_iterator : public tracked {
public:
    using iterator_category = Category;
    using difference_type = std::ptrdiff_t;

    struct item : tracked {
        item(experiment& e, std::size_t n) : tracked(e), number(n) {}
        item(const item& other) : tracked(other), number(other.number) { of().pass(place::item_copy); }
        item& operator=(const item&) = default;
        std::size_t number;
    };
    using value_type = item;
    using reference = item;
    using pointer = void;

    counting_iterator(experiment& e, std::size_t at) : tracked(e), at_(at) {}
    item operator*() const {
        of().pass(place::dereference);
        return item(of(), at_);
    }
    counting_iterator& operator++() {
        of().pass(place::increment);
        ++at_;
        return *this;
    }
    counting_iterator operator+(difference_type n) const {
        of().pass(place::increment);
        return counting_iterator(of(), at_ + static_cast<std::size_t>(n));
    }
    difference_type operator-(const counting_iterator& other) const {
        return static_cast<difference_type>(at_) - static_cast<difference_type>(other.at_);
    }
    friend bool operator==(const counting_iterator& a, const counting_iterator& b) {
        a.of().pass(place::compare);
        return a.at_ == b.at_;
    }
    friend bool operator!=(const counting_iterator& a, const counting_iterator& b) { return !(a == b); }

private:
    std::size_t at_;
};

}  // namespace throwing
