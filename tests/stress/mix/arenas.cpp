// Arenas of all kinds, enqueued functions, isolation, limits, observers.

#include <bough/global_control.h>
#include <bough/observer.h>
#include <bough/parallel_for.h>
#include <bough/task_arena.h>

#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "stress/mix/arenas.h"
#include "stress/mix/operations.h"
#include "stress/mix/regions.h"
#include "stress/mix/trial.h"

namespace mix {
namespace {

using bough::task_arena;

std::unique_ptr<task_arena> fresh_arena(dice& roll, task_arena::waiting waiting) {
    const std::size_t slots = roll.between(1, 6);
    constexpr task_arena::priority priorities[] = {task_arena::priority::low, task_arena::priority::normal,
                                                   task_arena::priority::high};
    return std::make_unique<task_arena>(static_cast<int>(slots),
                                        static_cast<unsigned>(roll.between(0, slots)),
                                        priorities[roll.below(3)], waiting);
}

constexpr std::size_t shared_arenas = 3;

// Calls f(arena), and notes what is nested there. Shared arenas are entered in their order, as locks are taken: else
// those who sit in a full one might wait for one who waits for a slot in it.
template <class F>
void with_arena(scope& s, F&& f) {
    if (s.next_arena < shared_arenas && s.roll.one_in(2)) {
        const std::size_t chosen = s.roll.between(s.next_arena, shared_arenas - 1);
        s.next_arena = chosen + 1;
        return f(shared_arena(chosen));
    }
    const bool any = !s.roll.one_in(4);
    s.takes_anything &= any;
    const auto arena = fresh_arena(s.roll, any ? task_arena::waiting::any : task_arena::waiting::descendants);
    f(*arena);
}

struct counting : bough::observer {
    counting(const scope& s, task_arena& arena) : observer(arena), scope_of(s) {}
    ~counting() override { observe(false); }
    void on_entry(bool) override {
        require(scope_of, !is_over.load(std::memory_order_relaxed), "an observer that has ended was called");
        entries.fetch_add(1, std::memory_order_relaxed);
    }
    void on_exit(bool) override {
        require(scope_of, !is_over.load(std::memory_order_relaxed), "an observer that has ended was called");
        exits.fetch_add(1, std::memory_order_relaxed);
    }

    const scope& scope_of;
    std::atomic<bool> is_over{false};
    std::atomic<long> entries{0}, exits{0};
};

}  // namespace

task_arena& shared_arena(std::size_t which) {
    static std::array<task_arena, shared_arenas> arenas = {
        task_arena(1), task_arena(2, 1, task_arena::priority::high), task_arena(4, 2)};
    return arenas[which];
}

void execute_in_arena(scope& s) {
    trial t(s, some(s.roll));
    with_arena(s, [&](task_arena& arena) {
        t.run([&](auto& context) {
            const staying_in elsewhere(nullptr);
            const std::size_t answer = arena.execute([&] {
                bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); }, context);
                return t.size() + 1;
            });
            require(s, answer == t.size() + 1, "execute did not return what its function returned");
        });
    });
}

// The arena may be given up before they run; they end with the operation that they began in.
void enqueue_in_arena(scope& s) {
    with_arena(s, [&](task_arena& arena) {
        for (std::size_t left = s.roll.between(1, 20); left > 0; --left) {
            s.from->enqueued.fetch_add(1, std::memory_order_relaxed);
            arena.enqueue([inner = s.enqueued(left)]() mutable {
                check_region(inner);
                if (inner.depth > 0 && inner.roll.one_in(8))
                    run_any(inner);
                done.enqueued.fetch_add(1, std::memory_order_relaxed);
                inner.from->enqueued.fetch_sub(1, std::memory_order_release);
            });
        }
    });
}

void isolated(scope& s) {
    const region mine{s.inside};
    scope inner = s.nested(0);
    inner.name = s.name;
    inner.inside = &mine;
    inner.takes_anything = false;
    const bool is_checked =
        s.roll.one_in(4);  // to ask for the name of a stack makes a slot one that has stacks
    trial t(inner, some(s.roll));
    t.run([&](auto& context) {
        const std::size_t answer = bough::this_task_arena::isolate([&] {
            std::optional<staying_in> stay;
            if (is_checked)
                stay.emplace(&mine);
            bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); }, context);
            return t.size() + 1;
        });
        require(s, answer == t.size() + 1, "isolate did not return what its function returned");
    });
}

// For all threads of the process.
void under_a_limit(scope& s) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, s.roll.between(1, 9));
    std::optional<bough::global_control> stacks;
    if (s.roll.one_in(4))
        stacks.emplace(bough::global_control::thread_stack_size, s.roll.between(2, 16) << 20);
    trial t(s, some(s.roll));
    t.run([&](auto& context) {
        bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); }, context);
    });
}

void observed(scope& s) {
    with_arena(s, [&](task_arena& arena) {
        counting all(s, arena);
        all.observe();
        const auto caller = std::this_thread::get_id();
        trial t(s, some(s.roll));
        t.run([&](auto& context) {
            const staying_in elsewhere(nullptr);
            arena.execute([&] {
                // A worker that runs this in the caller's place may have asked for observers just before; and who comes
                // back by way of another arena is told later.
                if (s.is_outermost && std::this_thread::get_id() == caller)
                    require(s, all.entries.load(std::memory_order_relaxed) > 0, "an observer was not told");
                bough::parallel_for(std::size_t{0}, t.size(), [&](std::size_t i) { t.visit(i); }, context);
            });
        });
        all.observe(false);
        all.is_over = true;
        require(s, all.entries.load() >= all.exits.load(), "more threads left than came");
    });
}

}  // namespace mix
