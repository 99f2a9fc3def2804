// What it takes to fetch one task out of a mailbox, through its proxy, or by stealing it from a queue. At rest: the
// consumer or another thread has made one task, or 16, and stopped; else K producers run, and each retrieval is timed
// alone. The clock's own cost is subtracted. The consumer has a CPU to itself, where there are two. Prints one JSON
// object. usage: bench_retrieval ROUNDS MOST_PRODUCERS [broken]; exit code 1: a task was lost, came twice or out of
// order.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "common/clock.h"
#include "common/quantile.h"
#include "common/spin.h"
#include "papers/channels.h"
#include "papers/place.h"

namespace {

using namespace bench;

constexpr std::size_t window = 64;  // tasks that a producer has under way
constexpr std::size_t samples = 4000;
constexpr std::size_t shown = 200;  // of the samples, for a scatter plot
constexpr auto longest = std::chrono::milliseconds(250);

struct alignas(64) producer_state {
    std::vector<parcel> parcels{window};
    alignas(64) std::atomic<std::uint64_t> made{0};
    alignas(64) std::atomic<std::uint64_t> taken{0};
};

// Parcels that come twice, not at all or out of order.
class checked {
public:
    explicit checked(unsigned producers) : next_(producers, 0) {}
    bool is_next(const parcel& p) { return p.number == next_[p.producer]++; }

private:
    std::vector<std::uint64_t> next_;
};

double to_ns(double t) {
    return t * seconds_per_tick() * 1e9;
}

// The mean of the middle half: as robust as the median, and finer than the clock's steps.
double middle(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t quarter = values.size() / 4;
    double sum = 0;
    for (std::size_t i = quarter; i < values.size() - quarter; ++i)
        sum += values[i];
    return sum / static_cast<double>(values.size() - 2 * quarter);
}

// Of all but the slowest in a thousand, which lost a time slice: what a mailbox pays when it turns its list around is
// in it.
double mean(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    values.resize(values.size() - values.size() / 1000);
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double clock_ns() {
    std::vector<double> costs(2000);
    for (double& c : costs) {
        const ticks begin = now();
        c = static_cast<double>(now() - begin);
    }
    return to_ns(middle(costs));
}

// What is measured: K producers that run, or, for none, so many tasks at rest.
struct setting {
    unsigned producers = 0;
    std::size_t at_rest = 0;
    bool by_self = false;  // the consumer has made them
};

template <class Channel>
class trial {
public:
    explicit trial(const setting& s)
        : producers_(std::max(1u, s.producers)), at_rest_(s.at_rest), by_self_(s.by_self),
          channel_(producers_), check_(producers_), states_(producers_) {}

    // Times in ns, the clock's cost still in them; false: something was lost.
    bool run(std::vector<double>& times) {
        std::vector<std::jthread> threads;
        for (unsigned p = 0; p < producers_ && !by_self_; ++p)
            threads.emplace_back([this, p] {
                stay_elsewhere(p);
                at_rest_ ? on_demand() : produce(p);
            });
        const bool is_right = at_rest_ ? take_at_rest(times) : take_running(times);
        is_over_.store(true, std::memory_order_relaxed);
        return is_right;
    }

private:
    bool is_over() const { return is_over_.load(std::memory_order_relaxed); }

    void make(unsigned p) {
        producer_state& mine = states_[p];
        const std::uint64_t number = mine.made.load(std::memory_order_relaxed);
        // acquire: pairs with the consumer's store; it has done with the parcel.
        spin_until([&] { return number - mine.taken.load(std::memory_order_acquire) < window || is_over(); });
        parcel& next = mine.parcels[number % window];
        if (is_over())
            return;
        next.producer = p;
        next.number = number;
        spin_until([&] { return is_over() || channel_.put(p, next); });
        mine.made.store(number + 1, std::memory_order_release);
    }
    void produce(unsigned p) {
        while (!is_over())
            make(p);
    }
    // Producer 0, at rest: as many as are wanted, whenever they are.
    void on_demand() {
        while (!is_over()) {
            spin_until([&] {
                return is_over() || wanted_.load(std::memory_order_acquire) >
                                        states_[0].made.load(std::memory_order_relaxed);
            });
            make(0);
        }
    }

    bool accept(bough::task* t) {
        const auto& p = *static_cast<parcel*>(t);
        const bool is_right = check_.is_next(p);
        states_[p.producer].taken.fetch_add(1, std::memory_order_release);
        return is_right;
    }

    bool take_at_rest(std::vector<double>& times) {
        const auto end = std::chrono::steady_clock::now() + longest;
        std::vector<bough::task*> taken(at_rest_);
        std::uint64_t asked = 0;
        while (times.size() < samples && std::chrono::steady_clock::now() < end) {
            asked += at_rest_;
            wanted_.store(asked, std::memory_order_release);
            for (std::size_t i = 0; by_self_ && i < at_rest_; ++i)
                make(0);
            spin_until([&] { return states_[0].made.load(std::memory_order_acquire) == asked; });
            const ticks begin = now();
            for (bough::task*& t : taken)
                t = channel_.take();
            times.push_back(to_ns(static_cast<double>(now() - begin)));
            for (bough::task* t : taken)
                if (!t || !accept(t))
                    return false;
        }
        return true;
    }

    bool take_running(std::vector<double>& times) {
        const auto end = std::chrono::steady_clock::now() + longest;
        for (unsigned in_vain = 0; times.size() < samples;) {
            const ticks begin = now();
            bough::task* const t = channel_.take();
            const ticks after = now();
            if (t) {
                times.push_back(to_ns(static_cast<double>(after - begin)));
                if (!accept(t))
                    return false;
                in_vain = 0;
            } else if (++in_vain % 1000 == 0) {
                std::this_thread::yield();  // with more threads than CPUs the producers need one
            }
            if ((times.size() % 64 == 0 || !t) && std::chrono::steady_clock::now() > end)
                break;
        }
        return true;
    }

    const unsigned producers_;
    const std::size_t at_rest_;
    const bool by_self_;
    Channel channel_;
    checked check_;
    std::vector<producer_state> states_;
    alignas(64) std::atomic<std::uint64_t> wanted_{0};
    alignas(64) std::atomic<bool> is_over_{false};
};

bool is_first = true;

template <class Channel>
bool measure(int round, const setting& s) {
    std::vector<double> times;
    times.reserve(samples);
    if (!trial<Channel>(s).run(times)) {
        std::fprintf(stderr, "%s, %u producers: a task was lost, came twice or out of order\n", Channel::name,
                     s.producers);
        return false;
    }
    const double clock = clock_ns();
    const double each = static_cast<double>(s.at_rest ? s.at_rest : 1);
    for (double& t : times)
        t = (t - clock) / each;
    std::printf("%s\n{\"queue\": \"%s\", \"round\": %d, \"producers\": %u, \"at_rest\": %zu, \"by\": \"%s\", "
                "\"samples\": %zu, \"shown\": [",
                is_first ? "" : ",", Channel::name, round, s.producers, s.at_rest,
                s.by_self ? "itself" : "another", times.size());
    is_first = false;
    const std::size_t few = std::min(shown, times.size());
    for (std::size_t i = 0; i < few; ++i)
        std::printf("%s%.1f", i ? "," : "", times[times.size() / few * i]);
    if (few == 0)
        std::printf("]}");
    else
        std::printf("], \"middle_ns\": %.2f, \"mean_ns\": %.2f, \"p99_ns\": %.2f}", middle(times),
                    mean(times), quantile(times, 0.99));
    return true;
}

// Queues take turns; the next round begins with another one.
template <class... Channel>
bool all_queues(int round, const setting& s) {
    const std::vector<std::function<bool()>> measures{[=] { return measure<Channel>(round, s); }...};
    for (std::size_t i = 0; i < measures.size(); ++i)
        if (!measures[(i + static_cast<std::size_t>(round)) % measures.size()]())
            return false;
    return true;
}

template <class... Channel>
bool all_rounds(int rounds, unsigned most) {
    std::vector<setting> settings{{0, 1, true}, {0, 16, true}, {0, 1, false}, {0, 16, false}};
    for (unsigned producers = 1; producers < most; producers += producers < 4 ? 1 : 4)
        settings.push_back({producers, 0, false});
    settings.push_back({most, 0, false});
    for (int round = 0; round < rounds; ++round)
        for (const setting& s : settings)
            if (!all_queues<Channel...>(round, s))
                return false;
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc > 2 ? std::atoi(argv[1]) : 0;
    const int most = argc > 2 ? std::atoi(argv[2]) : 0;
    if (rounds < 1 || most < 1) {
        std::fprintf(stderr, "usage: %s ROUNDS MOST_PRODUCERS [broken]\n", argv[0]);
        return 2;
    }
    const auto producers = static_cast<unsigned>(most);
    stay_here();
    std::printf("{\"clock_ns\": %.2f, \"rows\": [", clock_ns());
    const bool is_right = argc > 3 && std::string(argv[3]) == "broken"
                              ? all_rounds<broken_channel>(rounds, producers)
                              : all_rounds<mailbox_channel, unopened_channel, chase_lev_channel, abp_channel,
                                           mutex_channel, split_channel>(rounds, producers);
    std::printf("]}\n");
    return is_right ? 0 : 1;
}
