#pragma once
// A list that any thread pushes to, and that is taken as a whole: so nothing can leave and come back alone (no ABA).
// The elements' links are the caller's. README.md has the orderings.

#include <atomic>

#include "machine/atomics.h"

namespace bough::detail {

template <class Node, class Atomics = machine::atomics>
class shared_list {
public:
    // From first to the element whose link this is.
    void push(Node* first, Node*& last_link) {
        // relaxed: only compared with, never followed.
        last_link = head_.load(std::memory_order_relaxed);
        // release: pairs with take(): whoever takes it sees the links, and everything that was done with the elements.
        while (!head_.compare_exchange_weak(last_link, first, std::memory_order_release,
                                            std::memory_order_relaxed)) {
        }
    }
    Node* take() {
        return head_.exchange(nullptr, std::memory_order_acquire);  // acquire: pairs with push()
    }
    // A hint: an exchange would take the line from those who push.
    bool is_empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }

private:
    typename Atomics::template atomic<Node*> head_{nullptr};
};

}  // namespace bough::detail
