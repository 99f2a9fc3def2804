#pragma once
// The cells of a queue: rings of doubling size. Each ring is made once and kept until the queue is destroyed, since a
// slow thief may still read a ring that is no longer in use. All rings together have less than twice the cells of the
// largest. When the owner goes back to a smaller ring, the larger one's pages are given back to the system.
// Only the owner calls members that are not const.

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

template <class Atomics>
class ring {
    using cell = typename Atomics::template atomic<task*>;

public:
    // The capacity is a power of two.
    explicit ring(std::size_t capacity)
        : mask_(capacity - 1), most_(static_cast<queue_index>(capacity - 1)), cells_(make(capacity)) {}
    cell& at(queue_index i) const { return cells_.get()[static_cast<std::size_t>(i) & mask_.get()]; }
    bool has_room_for(queue_index tasks) const { return tasks <= most_.get(); }
    std::size_t capacity() const { return mask_.get() + 1; }

    // From here on each cell reads as null, or as the task that it held.
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
    typename Atomics::template plain<queue_index> most_;  // most tasks in it that leave room for one more
    cells cells_;
};

// The ring in use, and the others.
template <class Atomics>
class rings {
    using ring_type = ring<Atomics>;

public:
    // `patience`: how often the owner must find its queue empty, since the last change of ring, before it goes back to
    // the smaller ring.
    explicit rings(std::size_t capacity, unsigned patience) : patience_(patience) {
        all_.push_back(std::make_unique<ring_type>(capacity));
        use(0);
    }

    // Any thread. acquire: pairs with use(); the ring and the cells that were copied are visible.
    const ring_type& seen() const { return *current_.load(std::memory_order_acquire); }
    // Owner.
    const ring_type& own() const { return *current_.load(std::memory_order_relaxed); }

    // Any thread, after it has seen that there is a task at `top`. Takes that task.
    steal_result steal(typename Atomics::template atomic<queue_index>& top_of_queue, queue_index top) const {
        // The cell is read before the CAS: after it the owner may overwrite the cell.
        task* t = seen().at(top).load(std::memory_order_relaxed);
        if (!t ||  // the owner has gone back to a smaller ring since
            // release: pairs with push()'s load of top, after which push() uses the cell again.
            !top_of_queue.compare_exchange_strong(top, top + 1, std::memory_order_release,
                                                  std::memory_order_relaxed))
            return {steal_status::retry};
        return {steal_status::success, t};
    }

    // Goes to the next larger ring, and copies the cells from `first` up to, not including, `last` to it. False: no
    // memory, and nothing has changed.
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

    // The owner has found its queue empty.
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
        // release: pairs with seen(); the ring and its cells are visible.
        current_.store(all_[level].get(), std::memory_order_release);
    }

    typename Atomics::template atomic<const ring_type*> current_{nullptr};
    std::size_t level_ = 0;
    unsigned empties_ = 0;
    const unsigned patience_;
    std::vector<std::unique_ptr<ring_type>> all_;
};

}  // namespace bough
