// task_arena and this_task_arena.

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "bough/detail/loop_job.h"
#include "bough/task_arena.h"
#include "profile/tuning.h"
#include "worker/crew.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

constexpr int most_seats = 4096;

// The calling thread's seat while it visits another arena.
class visit {
public:
    explicit visit(arena& a) : outer_(current_slot), seat_(a.wait_for_seat()) {
        if (outer_)
            seat_.scope = outer_->scope;
        current_slot = &seat_;
    }
    ~visit() {
        while (run_own_task(seat_)) {  // proxies that others have run
        }
        seat_.scope = nullptr;
        current_slot = outer_;
        give_seat_back(seat_);
    }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

private:
    slot* outer_;
    slot& seat_;
};

}  // namespace

namespace detail {

unsigned planned_concurrency(int max_concurrency) noexcept {
    return max_concurrency < 0 ? std::max(process_tuning().threads, 1u)
                               : static_cast<unsigned>(max_concurrency);
}

arena* make_arena(int max_concurrency, unsigned reserved_for_masters) {
    if (max_concurrency < -1 || max_concurrency == 0 || max_concurrency > most_seats)
        throw std::invalid_argument("bough::task_arena: max_concurrency is " +
                                    std::to_string(max_concurrency) +
                                    "; allowed are task_arena::automatic (-1) and 1 to 4096");
    process_crew();
    const unsigned n = planned_concurrency(max_concurrency);
    if (reserved_for_masters > n)
        throw std::invalid_argument("bough::task_arena: " + std::to_string(reserved_for_masters) +
                                    " seats reserved for masters of " + std::to_string(n));
    auto a = std::make_unique<arena>(seating{.masters = static_cast<std::uint16_t>(reserved_for_masters),
                                             .concurrency = static_cast<std::uint16_t>(n),
                                             .masters_may_use_worker_seats = true});
    process_crew().adopt(*a);
    return a.release();
}

void drop_arena(arena* a) noexcept {
    process_crew().release(*a);
}

unsigned arena_concurrency(const arena* a) noexcept {
    return a->concurrency();
}

void execute_in(arena& a, arena_function f) {
    if (current_slot && &current_slot->home == &a)
        return f.call(f.data);
    const visit inside(a);
    f.call(f.data);
}

int current_seat() noexcept {
    return current_slot ? current_slot->index : -2;
}

}  // namespace detail

namespace this_task_arena {

int max_concurrency() {
    return static_cast<int>(detail::concurrency());
}

}  // namespace this_task_arena
}  // namespace bough
