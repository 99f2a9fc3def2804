#pragma once
// The stack of a depth-first walk: frames at fixed addresses, as the children of a node may point to it. One thread.
//
// The place above the top is raw memory, in which the next node is made. push() makes it a frame.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "../../config.h"

namespace bough::search::detail {

template <class Space>
class frames {
public:
    using node = typename Space::node;
    using children = typename Space::children;

    struct frame {
        frame(const Space& space, const node& n) : below(space, n), left(below.num_children()) {}
        children below;
        std::size_t left;  // children that were not made yet
    };

    frames() = default;
    frames(const frames&) = delete;
    frames& operator=(const frames&) = delete;
    ~frames() { clear(); }

    std::size_t height() const { return height_; }
    frame& at(std::size_t i) { return frame_in(blocks_[i / block_size]->slots[i % block_size]); }
    frame& top() { return frame_in(*top_); }

    // Where the next node is made. The caller destroys a node that does not become a frame.
    void* above() { return (above_ ? above_ : grow())->node_bytes; }
    // The node that was made in above() becomes the top frame, unless it has no children: then, and if this throws, it
    // stays the caller's.
    bool push(const Space& space, const node& n) {
        frame* const made = new (above_->frame_bytes) frame(space, n);
        if (made->left == 0) {
            made->~frame();
            return false;
        }
        top_ = above_;
        above_ = top_->above;
        ++height_;
        return true;
    }
    void pop() {
        top().~frame();
        std::launder(reinterpret_cast<node*>(top_->node_bytes))->~node();
        above_ = top_;
        top_ = top_->below;
        --height_;
    }
    void clear() {
        while (height_ != 0)
            pop();
    }

private:
    struct slot {
        alignas(node) unsigned char node_bytes[sizeof(node)];
        alignas(frame) unsigned char frame_bytes[sizeof(frame)];
        slot* below;
        slot* above;
    };
    // Most trees are less deep. A power of two, so that an index is cut by shifts.
    static constexpr std::size_t block_size = 64;
    struct block {
        slot slots[block_size];
    };

    static frame& frame_in(slot& s) { return *std::launder(reinterpret_cast<frame*>(s.frame_bytes)); }

    // All slots are in use. Throws std::bad_alloc.
    BOUGH_COLD slot* grow() {
        blocks_.emplace_back(new block);
        block& fresh = *blocks_.back();
        slot* below = top_;
        for (slot& s : fresh.slots) {
            s.below = below;
            s.above = nullptr;
            if (below)
                below->above = &s;
            below = &s;
        }
        return above_ = fresh.slots;
    }

    std::vector<std::unique_ptr<block>> blocks_;
    std::size_t height_ = 0;
    slot* top_ = nullptr;    // null: no frame
    slot* above_ = nullptr;  // the place above the top; null: there is none yet
};

}  // namespace bough::search::detail
