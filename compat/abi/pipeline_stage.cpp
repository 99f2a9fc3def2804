// See pipeline_stage.h.

#include "pipeline_stage.h"

#include <utility>

namespace bough::compat::abi {

// The later one of two trees becomes the first child of the other.
token* waiting_tokens::merge(token* a, token* b) {
    if (a == nullptr || b == nullptr)
        return a != nullptr ? a : b;
    if (b->turn < a->turn)
        std::swap(a, b);
    b->next_sibling = std::exchange(a->first_child, b);
    return a;
}

// The children are merged in pairs, and then the pairs: amortised O(log n).
token* waiting_tokens::pop() {
    token* const first = root_;
    token* pairs = nullptr;
    for (token* child = first->first_child; child != nullptr;) {
        token* const a = child;
        token* const b = a->next_sibling;
        child = b != nullptr ? b->next_sibling : nullptr;
        a->next_sibling = nullptr;
        if (b != nullptr)
            b->next_sibling = nullptr;
        token* const pair = merge(a, b);
        pair->next_sibling = std::exchange(pairs, pair);
    }
    root_ = nullptr;
    while (token* const pair = pairs) {
        pairs = std::exchange(pair->next_sibling, nullptr);
        root_ = merge(root_, pair);
    }
    first->first_child = nullptr;
    return first;
}

// In order: the first such stage numbers the tokens as they come, the later ones let them in by that number. Out of
// order: the turn is the arrival.
bool stage::enter(token& t) {
    const std::lock_guard lock(mutex_);
    if (is_ordered()) {
        if (t.place_in_line == token::no_turn)
            t.place_in_line = arrivals_++;
        t.turn = t.place_in_line;
    } else {
        t.turn = arrivals_++;
    }
    if (occupied_ || t.turn != turn_) {
        waiting_.push(t);
        return false;
    }
    occupied_ = true;
    t.entered = true;
    return true;
}

token* stage::leave() {
    const std::lock_guard lock(mutex_);
    ++turn_;
    occupied_ = !waiting_.empty() && waiting_.first()->turn == turn_;
    if (!occupied_)
        return nullptr;
    token* const next = waiting_.pop();
    next->entered = true;
    return next;
}

token* stage::abandon() {
    const std::lock_guard lock(mutex_);
    return waiting_.empty() ? nullptr : waiting_.pop();
}

}  // namespace bough::compat::abi
