#pragma once
// The stack of a depth-first walk: frames at fixed addresses, as the children of a node may point to it. One thread.
//
// The place above the top is raw memory, in which the next node is made. push() makes it a frame.

#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

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
    frame& at(std::size_t i) { return *std::launder(reinterpret_cast<frame*>(place(i).frame_bytes)); }
    frame& top() { return at(height_ - 1); }

    // Where the next node is made. The caller destroys a node that does not become a frame.
    void* above() {
        if (height_ == blocks_.size() * block_size)
            blocks_.push_back(std::make_unique<block>());
        return place(height_).node_bytes;
    }
    // The node that was made in above() becomes the top frame, unless it has no children: then, and if this throws, it
    // stays the caller's.
    bool push(const Space& space, const node& n) {
        frame* const made = new (place(height_).frame_bytes) frame(space, n);
        if (made->left == 0) {
            made->~frame();
            return false;
        }
        ++height_;
        return true;
    }
    void pop() {
        top().~frame();
        --height_;
        std::launder(reinterpret_cast<node*>(place(height_).node_bytes))->~node();
    }
    void clear() {
        while (height_ != 0)
            pop();
    }

private:
    struct slot {
        alignas(node) unsigned char node_bytes[sizeof(node)];
        alignas(frame) unsigned char frame_bytes[sizeof(frame)];
    };
    // Most trees are less deep. A power of two, so that an index is cut by shifts.
    static constexpr std::size_t block_size = 64;
    struct block {
        slot slots[block_size];
    };

    slot& place(std::size_t i) { return blocks_[i / block_size]->slots[i % block_size]; }

    std::vector<std::unique_ptr<block>> blocks_;
    std::size_t height_ = 0;
};

}  // namespace bough::search::detail
