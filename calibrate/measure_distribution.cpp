// Distribution time: from the call of a parallel_for of one iteration per thread until the last body has started.
// A body stamps its start, then waits for the others, so that no thread can run two of them.
// Source: hybrid-work-distribution, 2.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "bough/bough.h"
#include "machine/clock.h"
#include "machine/pause.h"
#include "measure.h"

namespace bough::calibrate {
namespace {

using steady = std::chrono::steady_clock;

// 10 to 30 us with a pause each: then the missing thread may need this CPU.
constexpr unsigned looks_before_yield = 400;
constexpr std::chrono::seconds longest_call{2};
constexpr unsigned most_abandoned = 3;
constexpr std::size_t warm_up_calls = 200;

struct alignas(2 * cache_line) start_stamp {
    machine::ticks at = 0;
};

class one_per_thread {
public:
    explicit one_per_thread(unsigned team) : team_(team), stamps_(team) {}

    // Ticks from call to last start; `abandoned` when a body was still missing after longest_call.
    machine::ticks call() {
        started_.store(0, std::memory_order_relaxed);  // the loop's own publication orders it
        abandoned_.store(false, std::memory_order_relaxed);
        const machine::ticks start = machine::now_serialized();
        parallel_for(0U, team_, [this](unsigned i) { body(i); });
        machine::ticks last = start;
        for (const start_stamp& s : stamps_)
            last = std::max(last, s.at);
        return last - start;
    }

    bool abandoned() const { return abandoned_.load(std::memory_order_relaxed); }  // after the join

private:
    void body(unsigned i) {
        stamps_[i].at = machine::now_serialized();
        started_.fetch_add(1, std::memory_order_relaxed);  // a count only: the stamps are read after the join
        for (unsigned looks = 0; looks < looks_before_yield; ++looks) {
            if (all_started())
                return;
            machine::pause();
        }
        wait_long();
    }

    void wait_long() {
        const auto give_up = steady::now() + longest_call;
        while (!all_started() && !abandoned()) {
            std::this_thread::yield();
            if (steady::now() > give_up)
                abandoned_.store(true, std::memory_order_relaxed);
        }
    }

    bool all_started() const { return started_.load(std::memory_order_relaxed) == team_; }

    unsigned team_;
    std::vector<start_stamp> stamps_;
    alignas(2 * cache_line) std::atomic<unsigned> started_{0};
    alignas(2 * cache_line) std::atomic<bool> abandoned_{false};
};

team_result measure_team(unsigned team, const distribution_plan& plan, double overhead,
                         const calls_done& tell) {
    one_per_thread loop(team);
    std::vector<double> times;
    unsigned missed = 0;
    team_result result;
    result.team = team;
    const auto start = steady::now();
    const auto end = start + std::chrono::duration<double>(plan.seconds_per_team);
    auto next_word = start;
    for (std::size_t call = 0; call < plan.calls + warm_up_calls; ++call) {
        const double ns = std::max(0.0, machine::to_ns(loop.call()) - overhead);
        if (loop.abandoned() && ++missed == most_abandoned) {
            result.note = "not all bodies of a loop started within 2 s; gave up";
            break;
        }
        if (call >= warm_up_calls && !loop.abandoned())
            times.push_back(ns);
        const auto now = steady::now();
        if (now >= next_word) {
            tell(team, call);
            next_word = now + std::chrono::milliseconds(100);
        }
        if (now > end) {
            result.note = "stopped for lack of time";
            break;
        }
    }
    for (const double ns : times)
        result.bins.add(ns);
    result.time = summarize(times);
    return result;
}

}  // namespace

void measure_distribution(const distribution_plan& plan, const calls_done& tell, const team_done& take) {
    machine::clock();
    const double overhead = stamp_cost_ns();
    for (unsigned team = plan.first_team; team <= plan.last_team; ++team) {
        const global_control limit(global_control::max_allowed_parallelism, team);
        task_arena arena(static_cast<int>(team));
        arena.execute([&] { take(measure_team(team, plan, overhead, tell)); });
    }
}

}  // namespace bough::calibrate
