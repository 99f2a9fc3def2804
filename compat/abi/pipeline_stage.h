#pragma once
// What a pipeline is made of: tokens, and stages that hold back the tokens whose turn has not come. Only pipeline.cpp
// uses them. Invariant of a serial stage: at most one token is inside, and tokens enter by ascending turn.

#include <oneapi/tbb/detail/_pipeline_filters.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

namespace bough::compat::abi {

// Where a token stands and what it carries; the links are used while a stage holds it back.
struct token {
    static constexpr std::uint64_t no_turn = ~std::uint64_t{0};

    void* item = nullptr;
    std::size_t stage = 0;
    std::uint64_t turn = no_turn;  // in the stage where it waits or is inside
    std::uint64_t place_in_line =
        no_turn;           // among the tokens, in every serial_in_order stage; the first of them gives it
    bool entered = false;  // it is inside its (serial) stage: leave() is due
    token* next_sibling = nullptr;
    token* first_child = nullptr;
};

// Tokens by turn, as a pairing heap through their links: nothing is allocated, so holding back cannot fail.
class waiting_tokens {
public:
    bool empty() const { return root_ == nullptr; }
    const token* first() const { return root_; }
    void push(token& t) {
        t.next_sibling = t.first_child = nullptr;
        root_ = merge(root_, &t);
    }
    token* pop();

private:
    static token* merge(token* a, token* b);

    token* root_ = nullptr;
};

// Filters come from filter_node::create_filter(), which takes their memory from allocate_memory().
struct destroy_filter {
    void operator()(tbb::detail::d1::base_filter* f) const {
        f->~base_filter();
        tbb::detail::r1::deallocate_memory(f);
    }
};
using owned_filter = std::unique_ptr<tbb::detail::d1::base_filter, destroy_filter>;

class stage {
public:
    explicit stage(owned_filter f) : filter_(std::move(f)) {}

    tbb::detail::d1::base_filter& filter() { return *filter_; }
    bool is_serial() const { return filter_->is_serial(); }
    bool is_ordered() const { return filter_->is_ordered(); }

    // For a serial stage, before the filter is called. False: the token is held back, and may already be gone.
    bool enter(token& t);
    // After the call: the token that is inside now, to be run by somebody; nullptr when nobody's turn has come.
    token* leave();
    // One of those held back, when the pipeline ends early.
    token* abandon();

private:
    owned_filter filter_;
    std::mutex mutex_;  // the rest is under it
    waiting_tokens waiting_;
    std::uint64_t arrivals_ = 0;  // gives turns to tokens that bring none
    std::uint64_t turn_ = 0;      // whose turn it is, or who is inside
    bool occupied_ = false;
};

}  // namespace bough::compat::abi
