#pragma once
// What the scenarios have in common. A scenario is one function that checks its answers and ends, whatever the
// schedule: it waits for events only, never for a time to pass, so a lost wake-up is a deadlock, which the virtual
// machine reports. What it draws comes from its seed. With the balancer of channels a body that waits must poll
// (src/balance/README.md), so there the same waits look again and again, and a hang shows as a run without an end.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include <bough/bough.h>
#include <bough/exports/poll.h>
#include <bough/exports/version.h>

namespace simulated {

// splitmix64
class random_numbers {
public:
    explicit random_numbers(std::uint64_t seed) : state_(seed) {}
    // Between them, both included.
    int between(int low, int high) {
        return low + static_cast<int>(draw() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool one_in(int n) { return between(1, n) == 1; }

private:
    std::uint64_t draw() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    std::uint64_t state_;
};

using scenario = void (*)(random_numbers&);

// On which balancers: with that of channels no gate keeps work from thieves.
enum class balancers { all, deques };

// A file-scope object that makes a scenario known by its name.
struct known {
    known(const char* name, scenario run, balancers its = balancers::all);
};

// Ends the process with status 1, unless `is_so`.
inline void check(bool is_so, const char* what, long long got = 0, long long wanted = 0) {
    if (is_so)
        return;
    std::fprintf(stderr, "wrong: %s: %lld, not %lld\n", what, got, wanted);
    std::_Exit(1);
}
inline void check_equal(long long got, long long wanted, const char* what) {
    check(got == wanted, what, got, wanted);
}

// Threads that a loop started here may use, the caller included.
inline int allowed_threads() {
    const auto limit = bough::global_control::active_value(bough::global_control::max_allowed_parallelism);
    const auto here = static_cast<std::size_t>(bough::this_task_arena::max_concurrency());
    return static_cast<int>(here < limit ? here : limit);
}

// Asleep, at work, or neither, for up to `most_us` of virtual time; half of them for less than an eighth of it, as the
// gaps are short in which a wake-up may be lost.
inline void pause(random_numbers& random, int most_us) {
    const int kind = random.between(0, 2);
    const auto time = std::chrono::nanoseconds(random.between(0, most_us * 1000) >> random.between(0, 6));
    if (kind == 0)
        std::this_thread::sleep_for(time);
    if (kind == 1)
        for (const auto end = std::chrono::steady_clock::now() + time;
             std::chrono::steady_clock::now() < end;) {
        }
}

// At work for so long; not asleep, as that would take a wake-up's time.
inline void busy_for(int ns) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(ns);
    while (std::chrono::steady_clock::now() < end) {
    }
}

// Settings that a scenario needs whatever the seed says. Before the first use of bough, which reads them.
inline void set(const char* threads, const char* spin_us, const char* distribute = "steal") {
    setenv("BOUGH_NUM_THREADS", threads, 1);
    setenv("BOUGH_SPIN_US", spin_us, 1);
    setenv("BOUGH_DISTRIBUTE", distribute, 1);  // steal: what is published is seen, or called for
}

inline bool must_poll() {
    static const bool is_so = std::string_view(bough::variant()) == "channels";
    return is_so;
}

// Waits with this lock until is_so(), which is notified; where bodies must poll they do that, ever less often.
template <class Is_so>
void wait_asleep(std::condition_variable& notified, std::unique_lock<std::mutex>& lock, Is_so&& is_so) {
    if (!must_poll())
        return notified.wait(lock, is_so);
    constexpr int longest_us = 32;
    for (int us = 1; !is_so(); us = us < longest_us ? 2 * us : us) {
        lock.unlock();
        bough::poll();
        std::this_thread::sleep_for(std::chrono::microseconds(us));
        lock.lock();
    }
}

// So many parties wait here, asleep, until all have come.
class meeting {
public:
    explicit meeting(int parties) : missing_(parties) {}
    void arrive_and_wait() {
        std::unique_lock lock(guard_);
        --missing_;
        check(missing_ >= 0, "more came to a meeting than there are", missing_);
        if (missing_ == 0)
            all_came_.notify_all();
        wait_asleep(all_came_, lock, [this] { return missing_ <= 0; });
    }

private:
    std::mutex guard_;
    std::condition_variable all_came_;
    int missing_;
};

// A loop of so many bodies that wait for each other.
inline void meet_in_a_loop(int parties) {
    meeting all(parties);
    bough::parallel_for(0, parties, [&](int) { all.arrive_and_wait(); });
}

// Waits, asleep, until so many have been counted.
class counter {
public:
    void add() {
        const std::lock_guard lock(guard_);
        ++count_;
        more_.notify_all();
    }
    void wait_for(int count) {
        std::unique_lock lock(guard_);
        wait_asleep(more_, lock, [&] { return count_ >= count; });
        check_equal(count_, count, "ran");
    }
    // Returns when somebody else has added as well: the odd ones wait for the next, the even ones for none.
    void add_in_pairs() {
        std::unique_lock lock(guard_);
        const int number = ++count_;
        more_.notify_all();
        wait_asleep(more_, lock, [&] { return count_ > ((number - 1) | 1); });
    }

private:
    std::mutex guard_;
    std::condition_variable more_;
    int count_ = 0;
};

// How often each index was visited.
class visits {
public:
    explicit visits(int size) : counts_(static_cast<std::size_t>(size)) {}
    void hit(int i) { counts_[static_cast<std::size_t>(i)].fetch_add(1, std::memory_order_relaxed); }
    void check_each(int times) const {
        for (const auto& c : counts_)
            check_equal(c.load(std::memory_order_relaxed), times, "visits of an index");
    }

private:
    std::vector<std::atomic<int>> counts_;
};

}  // namespace simulated
