#pragma once
// A token: it goes round through the filters, takes an item along, and comes home for the next. README.md has its
// states.

#include <cstddef>
#include <cstdint>

#include "bough/config.h"
#include "bough/detail/task.h"

namespace bough {

class pipeline;

// Fields belong to whoever has the token in hand: a thread, or the turnstile that holds it back.
struct alignas(cache_line) token : detail::task {
    explicit token(pipeline& p) : home(p) {}

    pipeline& home;
    std::size_t stage = 0;  // where it is inside, or wants to be
    bool has_item = false;
    void* item = nullptr;     // where its item lies, if it has one
    void* room = nullptr;     // where the next filter makes its own
    std::uint64_t place = 0;  // in the order of the items, which the first serial_in_order filter gives

    // The turnstile's, while it holds the token back.
    std::uint64_t turn = 0;
    token* next = nullptr;
    token* first_child = nullptr;

    token* made_before = nullptr;  // the pipeline's list of all tokens
};

// Tokens by turn, as a pairing heap through their links: nothing is allocated, so holding back cannot fail.
class waiting_tokens {
public:
    bool is_empty() const { return root_ == nullptr; }
    const token& first() const { return *root_; }
    void push(token& t) {
        t.next = t.first_child = nullptr;
        root_ = merge(root_, &t);
    }
    token& pop();

private:
    static token* merge(token* a, token* b);

    token* root_ = nullptr;
};

}  // namespace bough
