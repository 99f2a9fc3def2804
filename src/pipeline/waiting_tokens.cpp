// Pairing heap: Fredman, Sedgewick, Sleator and Tarjan, Algorithmica 1 (1986).

#include <utility>

#include "pipeline/token.h"

namespace bough {

// The later one of two trees becomes the first child of the other.
token* waiting_tokens::merge(token* a, token* b) {
    if (a == nullptr || b == nullptr)
        return a != nullptr ? a : b;
    if (b->turn < a->turn)
        std::swap(a, b);
    b->next = std::exchange(a->first_child, b);
    return a;
}

// The children are merged in pairs, and then the pairs: amortised O(log n).
token& waiting_tokens::pop() {
    token& first = *root_;
    token* pairs = nullptr;
    for (token* child = first.first_child; child != nullptr;) {
        token* const a = child;
        token* const b = a->next;
        child = b != nullptr ? b->next : nullptr;
        a->next = nullptr;
        if (b != nullptr)
            b->next = nullptr;
        token* const pair = merge(a, b);
        pair->next = std::exchange(pairs, pair);
    }
    root_ = nullptr;
    while (token* const pair = pairs) {
        pairs = std::exchange(pair->next, nullptr);
        root_ = merge(root_, pair);
    }
    return first;
}

}  // namespace bough
