#pragma once
// 1 to 4 application threads, each with a small loop of its own, over and over. Time: until all have run theirs as
// often as asked, per loop of one thread.

#include <barrier>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"
#include "tiny/tiny.h"

namespace bench {

constexpr index competing_loop = 1024;

template <class Runtime>
class competition {
public:
    competition(unsigned applications, unsigned threads) : gate_(applications) {
        for (unsigned k = 0; k < applications; ++k)
            loops_.emplace_back(competing_loop);
        for (unsigned k = 1; k < applications; ++k)
            applications_.emplace_back([=, this] {
                if constexpr (requires { Runtime::enter_thread(threads, [] {}); })
                    Runtime::enter_thread(threads, [=, this] { obey(k); });
                else
                    obey(k);
            });
    }

    ~competition() {
        count_ = 0;
        gate_.arrive_and_wait();
    }

    void reset() {
        for (auto& loop : loops_)
            loop.reset();
    }

    void run(benchmark::IterationCount count = 1) {
        count_ = count;
        gate_.arrive_and_wait();
        repeat(0);
        gate_.arrive_and_wait();
    }

    std::size_t first_wrong() const {
        for (const auto& loop : loops_)
            if (const std::size_t wrong = loop.first_wrong(); wrong != none)
                return wrong;
        return none;
    }

private:
    void obey(unsigned k) {
        for (;;) {
            gate_.arrive_and_wait();
            if (count_ == 0)
                return;
            repeat(k);
            gate_.arrive_and_wait();
        }
    }

    void repeat(unsigned k) {
        for (benchmark::IterationCount i = 0; i < count_; ++i)
            loops_[k].run();
    }

    std::barrier<> gate_;
    benchmark::IterationCount count_ = 1;  // written before the gate, read behind it
    std::deque<axpy<Runtime>> loops_;
    std::vector<std::jthread> applications_;
};

template <class Runtime>
void measure_competition(benchmark::State& state, unsigned applications, unsigned threads) {
    competition<Runtime> all(applications, threads);
    all.reset();
    all.run();
    if (!correct(state, all))
        return;
    all.reset();
    warm_up(all);
    const benchmark::IterationCount count = state.max_iterations;
    while (state.KeepRunningBatch(count))
        all.run(count);
    correct(state, all);
}

template <class Runtime>
void register_competing(const options& o) {
    for (unsigned applications = 1; applications <= 4; ++applications)
        benchmark::RegisterBenchmark(("competing/axpy/" + std::to_string(applications)).c_str(),
                                     measure_competition<Runtime>, applications, o.threads)
            ->UseRealTime();
}

}  // namespace bench
