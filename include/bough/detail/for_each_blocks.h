#pragma once
// Runs items in parallel that can only be reached one after the other. One thread at a time reads a block. It spawns a
// task that goes on reading, which any thread may take, and runs its own block as a loop. So there are as many blocks
// as threads, however long the range is. There is one more block each time that a thread reads on while it waits for
// its block's helpers. No long item keeps threads from reading other items.
//
// Rejected: the caller alone reads. Then nothing is read while the caller is in a long body.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <new>
#include <utility>

#include "../blocked_range.h"
#include "../parallel_for.h"
#include "../task_group.h"

namespace bough::detail {

// A block has at most 4096 bytes of items, or one larger item, and lies on the stack of the thread that runs it.
template <class T>
class item_block {
public:
    static constexpr std::size_t capacity = std::clamp<std::size_t>(4096 / sizeof(T), 1, 256);

    item_block() = default;
    item_block(const item_block&) = delete;
    item_block& operator=(const item_block&) = delete;
    ~item_block() { std::destroy_n(items(), size_); }

    std::size_t size() const { return size_; }
    T& operator[](std::size_t i) { return items()[i]; }

    // Adds an item made from what make() returns. If make() returns a T, the item is not copied.
    template <class Make>
    void add(const Make& make) {
        ::new (static_cast<void*>(storage_ + size_ * sizeof(T))) T(make());
        ++size_;
    }

private:
    T* items() { return std::launder(reinterpret_cast<T*>(storage_)); }

    alignas(T) std::byte storage_[capacity * sizeof(T)];
    std::size_t size_ = 0;
};

// How many items a thread reads into a block if the source may make its reader wait: few if it does. The size begins
// with one and doubles. It is halved if reading a block took longer than it takes to wake a thread (10 us).
class block_size {
public:
    template <class Read>
    void adapt(std::size_t most, const Read& read) {
        const auto start = std::chrono::steady_clock::now();
        read(std::min(size_, most));
        const bool waited = std::chrono::steady_clock::now() - start > std::chrono::microseconds(10);
        size_ = waited ? std::max<std::size_t>(size_ / 2, 1) : std::min(size_ * 2, most);
    }

private:
    std::size_t size_ = 1;
};

// Kept is what a block holds for an item: a copy, or the iterator. run_kept(kept) runs the item.
template <bool copies_items, class It, class Kept, class RunKept>
class block_reader {
public:
    block_reader(It first, It last, const RunKept& run_kept, task_group& group)
        : first_(std::move(first)), last_(std::move(last)), run_kept_(run_kept), group_(group) {}

    void run() {
        item_block<Kept> block;
        if constexpr (copies_items)
            size_.adapt(block.capacity, [&](std::size_t most) { read(block, most); });
        else
            read(block, block.capacity);
        if (!(first_ == last_))
            group_.run([this] { run(); });
        // From here on another thread may use the reader's members.
        if (block.size() == 1)
            return run_kept_(block[0]);
        // Asks before each item, not before each piece, as items are few and may be long.
        bough::parallel_for(std::size_t{0}, block.size(), [&](std::size_t i) {
            if (!is_current_task_group_canceling())
                run_kept_(block[i]);
        });
    }

private:
    void read(item_block<Kept>& block, std::size_t most) {
        for (; block.size() < most && !(first_ == last_); ++first_) {
            if constexpr (copies_items)
                block.add([&]() -> decltype(auto) { return *first_; });
            else
                block.add([&]() -> const It& { return first_; });
        }
    }

    It first_;
    const It last_;
    const RunKept& run_kept_;
    task_group& group_;
    block_size size_;
};

}  // namespace bough::detail
