#pragma once
// What all operations over n things have in common: each thing is visited once, or, in one that throws or is cancelled,
// at most once; what was written then is seen by who waited; bodies nest further operations, throw and cancel.

#include <bough/context.h>
#include <bough/task_group.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "stress/mix/report.h"
#include "stress/mix/scope.h"

namespace mix {

// By which body of which operation.
struct thrown {
    std::uint64_t key;
};

class trial {
public:
    trial(scope& s, std::size_t n);
    trial(const trial&) = delete;
    trial& operator=(const trial&) = delete;

    // f(context) runs the operation, which calls visit(i) for all i below n; and it throws what a visit has thrown.
    template <class F>
    void run(F&& f) {
        bool has_thrown = false;
        try {
            f(context_);
        } catch (const thrown& t) {
            require(scope_, disturbance_ == throws && t.key == scope_.key,
                    "threw what is another operation's");
            has_thrown = true;
        }
        check(has_thrown);
    }

    void visit(std::size_t i);

    // Cancellation asks the group then, not the context. Before anything is visited.
    void cancel_by(bough::task_group* group) { group_ = group; }

    // Of what must have been done wholly the answer can be checked.
    bool is_whole() const { return disturbance_ == none && !stops_from_outside_; }
    std::size_t size() const { return size_; }

private:
    enum disturbance { none, throws, cancels };

    void disturb();
    void check(bool has_thrown);

    scope& scope_;
    const std::size_t size_;
    bough::task_group_context context_;
    const bool stops_from_outside_;
    disturbance disturbance_ = none;
    std::size_t disturbed_at_ = 0;
    bough::task_group* group_ = nullptr;
    const std::unique_ptr<std::atomic<std::uint32_t>[]> visits_;
    const std::unique_ptr<std::uint64_t[]> written_;  // plain: the join has to order it
};

// How many things an operation is about: mostly few.
inline std::size_t some(dice& roll) {
    return roll.below(std::size_t{1} << roll.between(0, 8));
}

// Some, so that operations begin and end at all distances from each other.
void work_a_little(std::uint64_t amount);

}  // namespace mix
