// bough-stress: a random mix of all that bough offers, nested, from several application threads at once, for a time.
// Every answer is checked. The seed, which is printed first, decides what each thread does; when is up to the system.
// Exit status: 0; 1 when an answer was wrong; by SIGABRT when a thread made no progress.

#include <bough/statistics.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "stress/mix/operations.h"
#include "stress/mix/regions.h"
#include "stress/mix/report.h"
#include "stress/mix/watchdog.h"

namespace mix {
namespace {

using clock = std::chrono::steady_clock;

struct options {
    std::uint64_t seed = std::random_device{}();
    std::uint64_t seconds = 5;
    std::uint64_t threads = 3;  // of the application
    std::uint64_t depth = 3;    // of operations in operations
    std::uint64_t patience = 60;
};

[[noreturn]] void explain() {
    std::fputs(
        "usage: bough-stress [--seed N] [--seconds N] [--threads N] [--depth N] [--patience SECONDS]\n",
        stderr);
    std::exit(2);
}

options parse(int argc, char** argv) {
    options o;
    const std::pair<std::string_view, std::uint64_t*> known[] = {{"--seed", &o.seed},
                                                                 {"--seconds", &o.seconds},
                                                                 {"--threads", &o.threads},
                                                                 {"--depth", &o.depth},
                                                                 {"--patience", &o.patience}};
    for (int i = 1; i < argc; i += 2) {
        std::uint64_t* value = nullptr;
        for (const auto& [name, place] : known)
            if (name == argv[i])
                value = place;
        if (!value || i + 1 == argc)
            explain();
        const char* const end = argv[i + 1] + std::strlen(argv[i + 1]);
        const auto [read, error] = std::from_chars(argv[i + 1], end, *value);
        if (error != std::errc{} || read != end)
            explain();
    }
    return o;
}

void run_one(origin& self, int depth) {
    scope s(self, mixed(mixed(self.seed, self.thread), self.number.load()), depth);
    s.is_outermost = true;
    try {
        run_any(s);
    } catch (...) {
        fail(s, "an exception that nobody threw");
    }
    self.doing.store("the wait for enqueued functions");
    while (self.enqueued.load(std::memory_order_acquire) != 0)
        std::this_thread::sleep_for(std::chrono::microseconds(20));
    leave_regions();
}

// Now and then so long that the workers leave and sleep.
void rest(dice& roll) {
    if (roll.one_in(100))
        std::this_thread::sleep_for(std::chrono::milliseconds(roll.below(20)));
    else if (roll.one_in(8))
        std::this_thread::sleep_for(std::chrono::microseconds(roll.below(100)));
}

// As one thread after the other, each of which ends after some operations.
void run_for(origin& self, int depth, clock::time_point end) {
    dice roll(mixed(self.seed, ~std::uint64_t{self.thread}));
    while (clock::now() < end)
        std::thread([&] {
            for (std::size_t left = roll.between(1, 200); left > 0 && clock::now() < end; --left) {
                run_one(self, depth);
                self.number.fetch_add(1);
                rest(roll);
            }
        }).join();
    self.has_ended = true;
}

void print_figures(const options& o, double seconds) {
    std::uint64_t all = 0;
    for (const operation& op : operations())
        all += op.times.load();
    std::printf("bough-stress: seed %llu: %.1f s, %llu operations (", static_cast<unsigned long long>(o.seed),
                seconds, static_cast<unsigned long long>(all));
    const char* comma = "";
    for (const operation& op : operations()) {
        std::printf("%s%s %llu", comma, op.name, static_cast<unsigned long long>(op.times.load()));
        comma = ", ";
    }
    std::printf(
        "), %llu bodies, %llu exceptions, %llu cancels, %llu suspended, %llu enqueued",
        static_cast<unsigned long long>(done.bodies), static_cast<unsigned long long>(done.exceptions),
        static_cast<unsigned long long>(done.cancels), static_cast<unsigned long long>(done.suspensions),
        static_cast<unsigned long long>(done.enqueued));
    if (bough::counts_events())
        std::printf(", %llu steals",
                    static_cast<unsigned long long>(bough::statistics_now().total[bough::event::steal_won]));
    std::puts("; every answer was right");
}

int run(const options& o) {
    std::printf("bough-stress: seed %llu\n", static_cast<unsigned long long>(o.seed));
    std::fflush(stdout);
    const auto begin = clock::now();
    const auto end = begin + std::chrono::seconds(o.seconds);
    std::vector<std::unique_ptr<origin>> selves;
    std::vector<std::thread> threads;
    std::vector<watchdog> watchdogs;
    for (unsigned t = 0; t < o.threads; ++t) {
        selves.push_back(std::make_unique<origin>(o.seed, t));
        watchdogs.emplace_back(*selves.back(), std::chrono::seconds(o.patience));
        threads.emplace_back(
            [&self = *selves.back(), &o, end] { run_for(self, static_cast<int>(o.depth), end); });
    }
    const auto is_running = [](const auto& self) { return !self->has_ended.load(); };
    while (std::any_of(selves.begin(), selves.end(), is_running)) {
        for (watchdog& w : watchdogs)
            w.look();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    for (std::thread& t : threads)
        t.join();
    print_figures(o, std::chrono::duration<double>(clock::now() - begin).count());
    return 0;
}

}  // namespace
}  // namespace mix

int main(int argc, char** argv) {
    return mix::run(mix::parse(argc, argv));
}
