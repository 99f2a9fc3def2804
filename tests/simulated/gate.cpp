// The gate: until so much time has passed since a loop was published, no other thread may have stolen a piece of it.
// Virtual time is exact, so each unit that another thread runs is held against this.

#include <cstdlib>
#include <string>
#include <utility>

#include "scenario.h"

namespace simulated {
namespace {

using clock = std::chrono::steady_clock;

// A worker that has just come into the arena steals without a gate: it was called a wake-up ago. These are the threads
// that have come and have run no unit since.
class newcomers : public bough::observer {
public:
    ~newcomers() override { observe(false); }
    void on_entry(bool) override {
        if (!std::exchange(is_new_, true))
            count_.fetch_add(1);
    }
    void on_exit(bool) override { settle(); }

    static bool is_one() { return is_new_; }  // the calling thread
    // The calling thread has run a unit.
    void settle() {
        if (std::exchange(is_new_, false))
            count_.fetch_sub(1);
    }
    bool are_there() const { return count_.load() != 0; }

private:
    static thread_local bool is_new_;
    std::atomic<int> count_{0};
};
thread_local bool newcomers::is_new_ = false;

void work_for(clock::duration time) {
    for (const auto end = clock::now() + time; clock::now() < end;) {
    }
}

void gates(random_numbers& random) {
    // Read at the first use of bough. Nothing is handed off, so all that others run is stolen. Workers stay between
    // loops.
    const int gate_us = random.between(5, 30);
    setenv("BOUGH_GATE", (std::to_string(gate_us) + "us").c_str(), 1);
    setenv("BOUGH_DISTRIBUTE", "steal", 1);
    setenv("BOUGH_SPIN_US", "1000", 1);
    const std::chrono::nanoseconds gate = std::chrono::microseconds(gate_us);

    newcomers fresh;
    fresh.observe();
    const int threads = allowed_threads();
    const auto caller = std::this_thread::get_id();
    for (int round = 0; round < 6; ++round) {
        // Every thread that is inside has run a unit after this.
        meeting all(threads);
        bough::parallel_for(0, threads, [&](int) {
            fresh.settle();
            all.arrive_and_wait();
        });
        const int size = random.between(4, 60);
        const auto each = gate * random.between(1, 4) / size;
        visits seen(size);
        std::atomic<bool> was_joined_early{false};  // by a newcomer, from which others steal as well
        const auto called = clock::now();
        bough::parallel_for(0, size, [&](int i) {
            const auto passed = clock::now() - called;
            if (newcomers::is_one())
                was_joined_early = true;  // before it counts as a newcomer no more
            fresh.settle();
            const bool may_be_early = fresh.are_there() || was_joined_early;
            if (std::this_thread::get_id() != caller && !may_be_early && passed < gate)
                check_equal(std::chrono::nanoseconds(passed).count(), gate.count(),
                            "ns until a piece was stolen");
            work_for(each);
            seen.hit(i);
        });
        seen.check_each(1);
    }
}
const known gates_is("gates", gates, balancers::deques);

}  // namespace
}  // namespace simulated
