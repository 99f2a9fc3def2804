#include "stress/mix/trial.h"

#include "stress/mix/operations.h"
#include "stress/mix/regions.h"

namespace mix {
namespace {

using kind = bough::task_group_context::kind_type;

kind any_kind(dice& roll) {
    return roll.one_in(4) ? bough::task_group_context::isolated : bough::task_group_context::bound;
}

}  // namespace

trial::trial(scope& s, std::size_t n)
    : scope_(s), size_(n), context_(any_kind(s.roll)),
      stops_from_outside_(s.may_stop && context_.kind() == bough::task_group_context::bound),
      visits_(std::make_unique<std::atomic<std::uint32_t>[]>(n)),
      written_(std::make_unique<std::uint64_t[]>(n)) {
    if (n == 0 || !s.roll.one_in(4))
        return;
    disturbance_ = s.roll.one_in(2) ? throws : cancels;
    disturbed_at_ = s.roll.below(n);
}

void trial::visit(std::size_t i) {
    require(scope_, i < size_, "visited something outside");
    check_region(scope_);
    require(scope_, visits_[i].fetch_add(1, std::memory_order_relaxed) == 0, "visited something twice");
    const std::uint64_t key = mixed(scope_.key, i);
    written_[i] = key;
    constexpr std::size_t nested = 2;  // expected in each operation that may nest
    if (scope_.depth > 0 && key % size_ < nested) {
        scope inner = scope_.nested(i);
        inner.may_stop = stops_from_outside_ || disturbance_ != none;
        run_any(inner);
    } else if (key % 8 == 0) {
        work_a_little((key >> 32) % 2000);
    }
    if (disturbance_ != none && i == disturbed_at_)
        disturb();
}

void trial::disturb() {
    if (disturbance_ == throws)
        throw thrown{scope_.key};
    done.cancels.fetch_add(1, std::memory_order_relaxed);
    if (group_)
        group_->cancel();
    else
        context_.cancel_group_execution();
}

void trial::check(bool has_thrown) {
    std::size_t visited = 0;
    for (std::size_t i = 0; i < size_; ++i) {
        const bool is_visited = visits_[i].load(std::memory_order_relaxed) != 0;
        require(scope_, !is_visited || written_[i] == mixed(scope_.key, i), "what a body wrote was not seen");
        visited += is_visited;
    }
    require(scope_, !is_whole() || visited == size_, "did not visit everything");
    if (disturbance_ == throws && !stops_from_outside_)
        require(scope_, has_thrown, "did not throw what its body threw");
    done.bodies.fetch_add(visited, std::memory_order_relaxed);
    done.exceptions.fetch_add(has_thrown, std::memory_order_relaxed);
}

void work_a_little(std::uint64_t amount) {
    for (std::uint64_t k = 0; k < amount; ++k)
        std::atomic_signal_fence(std::memory_order_seq_cst);
}

}  // namespace mix
