#pragma once
// The cells of a queue: rings of doubling size, each made once and kept until the queue dies, since a slow thief may
// still read one that is no longer in use. So all together they are never more than twice the largest; and a large one
// that is no longer in use gives its pages back.
// The owner alone calls what is not const.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "bough/detail/task.h"
#include "machine/pages.h"
#include "queue/steal_result.h"

namespace bough {

using detail::task;

using queue_index = std::int64_t;  // of a task, counted from the queue's first; never wraps

template <class Atomics>
class ring {
    using cell = typename Atomics::template atomic<task*>;

public:
    // A power of two.
    explicit ring(std::size_t capacity)
        : mask_(capacity - 1), most_(static_cast<queue_index>(capacity - 1)), cells_(make(capacity)) {}
    cell& at(queue_index i) const { return cells_.get()[static_cast<std::size_t>(i) & mask_.get()]; }
    bool has_room_for(queue_index tasks) const { return tasks <= most_.get(); }
    std::size_t capacity() const { return mask_.get() + 1; }

    // Its cells read as null from here on, or as they were.
    void forget() const {
        if constexpr (Atomics::has_pages) {
            machine::give_pages_back(cells_.get(), bytes(capacity()));
        } else {
            for (std::size_t i = 0; i < capacity(); ++i)
                cells_.get()[i].store(nullptr, std::memory_order_relaxed);
        }
    }

private:
    static constexpr std::size_t bytes(std::size_t capacity) { return capacity * sizeof(cell); }
    struct free_cells {
        std::size_t capacity;
        void operator()(cell* c) const {
            std::destroy_n(c, capacity);
            ::operator delete(c, std::align_val_t{machine::smallest_page});
        }
    };
    using cells = std::unique_ptr<cell[], free_cells>;

    static cells make(std::size_t capacity) {
        auto* const memory =
            static_cast<cell*>(::operator new(bytes(capacity), std::align_val_t{machine::smallest_page}));
        std::uninitialized_value_construct_n(memory, capacity);
        return cells(memory, {capacity});
    }

    typename Atomics::template plain<std::size_t> mask_;
    typename Atomics::template plain<queue_index> most_;  // tasks in it when there is room for one more
    cells cells_;
};

// The ring in use, and the others.
template <class Atomics>
class rings {
    using ring_type = ring<Atomics>;

public:
    // `patience`: how often the owner must have found its queue empty, since it last grew, before a ring is given up.
    explicit rings(std::size_t capacity, unsigned patience) : patience_(patience) {
        all_.push_back(std::make_unique<ring_type>(capacity));
        use(0);
    }

    // Any thread. acquire: pairs with use(); the cells that were copied are visible.
    const ring_type& seen() const { return *current_.load(std::memory_order_acquire); }
    // Owner.
    const ring_type& own() const { return *current_.load(std::memory_order_relaxed); }

    // Any thread: the task at `top`, which was seen to be there.
    steal_result steal(typename Atomics::template atomic<queue_index>& top_of_queue, queue_index top) const {
        // Read before the CAS: afterwards the owner may overwrite the cell.
        task* t = seen().at(top).load(std::memory_order_relaxed);
        if (!t ||  // a ring that was given up since
            // release: pairs with push, which uses the cell again.
            !top_of_queue.compare_exchange_strong(top, top + 1, std::memory_order_release,
                                                  std::memory_order_relaxed))
            return {steal_status::retry};
        return {steal_status::success, t};
    }

    // To a ring with room for more, and the cells from `first` to `last` in it. False: no memory, and then nothing has
    // changed.
    bool grow(queue_index first, queue_index last) noexcept {
        const ring_type& full = own();
        try {
            if (level_ + 1 == all_.size())
                all_.push_back(std::make_unique<ring_type>(full.capacity() * 2));
        } catch (const std::bad_alloc&) {
            return false;
        }
        const ring_type& larger = *all_[level_ + 1];
        for (queue_index i = first; i < last; ++i)
            larger.at(i).store(full.at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
        use(level_ + 1);
        empties_ = 0;
        return true;
    }

    // The queue is empty.
    void shrink_if_unused() {
        if (level_ == 0 || ++empties_ < patience_)
            return;
        empties_ = 0;
        use(level_ - 1);
        all_[level_ + 1]->forget();
    }
    bool can_shrink() const { return level_ != 0; }

private:
    void use(std::size_t level) {
        level_ = level;
        // release: pairs with seen().
        current_.store(all_[level].get(), std::memory_order_release);
    }

    typename Atomics::template atomic<const ring_type*> current_{nullptr};
    std::size_t level_ = 0;
    unsigned empties_ = 0;
    const unsigned patience_;
    std::vector<std::unique_ptr<ring_type>> all_;
};

}  // namespace bough
