#pragma once
// Runs parallel_scan, in rounds. Each round is a loop with one unit per thread, over a window of the range. One thread,
// the front, scans finally from the front of the window, with the body that holds the sum of everything to the left.
// The other threads scan parts from the back ahead of time, each part with a body of its own, until they meet the
// front. Then the caller joins these bodies from left to right. So each body holds the sum of everything to the left of
// the next part. In the next round threads scan these parts finally, while the parts are still in a cache. Meanwhile
// the front goes on behind them.
//
// With P threads (P-1)/(P+1) of the range is scanned twice, if both scans cost the same, and the scan is (P+1)/2 times
// as fast as on one thread. If no thread comes to help, nothing is scanned twice. No thread waits inside a round.
//
// Rejected: threads claim chunks in order, and each chunk waits for the sum of the chunk before (decoupled look-back).
// A body that waits for a nested loop may take a later chunk of its own scan. That chunk would wait for the body below
// it on the same stack.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "call_cost.h"
#include "loop_job.h"
#include "plan.h"
#include "range_levels.h"
#include "scan_runs.h"
#include "scan_window.h"

namespace bough {

// These tags say for what a scan's body is called.
struct pre_scan_tag {
    static constexpr bool is_final_scan() { return false; }
    constexpr operator bool() const { return false; }
};
struct final_scan_tag {
    static constexpr bool is_final_scan() { return true; }
    constexpr operator bool() const { return true; }
};

namespace detail {

template <class Partitioner>
struct free_scan : plan_for<Partitioner> {
    static constexpr bool deterministic = false;
    template <class Range>
    static decltype(auto) limit(const Range&, const Partitioner& p) {
        return plan_for<Partitioner>::limit(p);
    }
};

// The units depend on the range alone. Each unit is scanned ahead, also by the front. Its final scan begins with the
// sums of all units before, joined one by one. If each addition of a value waits for the one before, units are scanned
// in runs: scan_runs.h.
template <class Partitioner>
struct deterministic_scan : plan_for<Partitioner> {
    static constexpr bool deterministic = true;
    template <class Range>
    static unit limit(const Range& range, const Partitioner&) {
        if (plan_for<Partitioner>::indivisible)
            return no_limit;
        return unit{1} << automatic_levels(levels_of(range, 64));
    }
};

template <class Range, class Body, class Partitioner, class Plan>
class scan_rounds {
public:
    scan_rounds(const Range& whole, Body& body, const Partitioner& p, task_group_context* context)
        : runs_(runs_per_unit(whole, Plan::limit(whole, p))),
          cut_(whole, cut_limit(Plan::limit(whole, p), runs_)), body_(body), front_(&body), context_(context),
          threads_(concurrency()), summed_by_(threads_) {}

    // Leaves the sum of everything in the body. It is the sum to the bit that the final scan of the last unit left, not
    // one that was joined. Gives up if it is cancelled.
    void run() {
        const unit all = all_units();
        if (all == 0)
            return;
        for (unit done = 0; done != all || !pending_.empty();) {
            const unit limit = summed_.empty() ? all : summed_.front().units.first;
            if (!run_round(done, done + next_window(limit - done), done))
                return;
        }
        if constexpr (in_runs) {
            body_.hold(last_ ? last_->finished : finished_by_front_);
        } else if (Body* const last = last_ ? last_->body : last_of_front(); last != &body_) {
            body_.assign(*last);
        }
    }

private:
    using halves = typename split_tags<Range>::halves;
    using box = std::unique_ptr<std::optional<Body>>;  // its address never changes; the body can be made anew

    static constexpr bool in_runs = Plan::deterministic && !Plan::indivisible &&
                                    index_range_traits<Range>::value && is_scanned_in_runs<Body>::value;

    template <class Limit>
    static unit runs_per_unit(const Range& whole, const Limit& limit) {
        if constexpr (in_runs)
            return runs_of_unit(whole, limit);
        else
            return 1;
    }
    // Of the runs.
    template <class Limit>
    static decltype(auto) cut_limit(const Limit& limit, unit runs) {
        if constexpr (in_runs)
            return limit * runs;
        else
            return (limit);
    }

    unit all_units() const { return cut_.units() / runs_; }

    struct round;

    class stopwatch {
    public:
        explicit stopwatch(bool runs) : start_(runs ? clock::now() : clock::time_point()) {}
        double ns() const {
            return static_cast<double>(std::chrono::nanoseconds(clock::now() - start_).count());
        }

    private:
        using clock = std::chrono::steady_clock;
        const clock::time_point start_;
    };

    // Units that were scanned ahead, and their sum.
    struct summed_body {
        unit_interval units;
        box sum;
    };
    // Units that wait for their final scan, by a body that holds the sum of everything to the left of them.
    struct pending_body {
        unit_interval units;
        Body* body;
        box owner;  // empty: the caller's body
    };
    // In runs there is only one body, the caller's, and the front uses it.
    using summed_part = std::conditional_t<in_runs, summed_units<Body>, summed_body>;
    using pending_part = std::conditional_t<in_runs, summed_units<Body>, pending_body>;

    template <class B, bool = in_runs>
    struct value_of {
        using type = typename B::value_type;
    };
    template <class B>
    struct value_of<B, false> {
        struct type {};
    };

    static scan_pace& pace() { return pace_of<scan_rounds>::value; }

    unit next_window(unit left) const {
        if (threads_ == 1)
            return std::min(left, scan_window::most_units);
        const unit units = std::max(pace().window(fewest(), threads_), longer_);
        return std::min<unit>(left <= units + units / 2 ? left : units, scan_window::most_units);
    }

    unit fewest() const { return unit{16} * threads_; }

    // A round took `ns` for `units`. If it had very few units, perhaps the calls cost much, and not the units. Then the
    // next window may be longer.
    void learn(std::uint64_t ns, unit units) {
        calls_.saw(units, ns);
        const bool is_asked = units <= fewest() || calls_.matters(scan_pace::round_ns) != 0;
        longer_ = is_asked ? calls_.longer(units, ns, scan_pace::round_ns, fewest()) : 0;
    }

    // Sets `done` to the end of what was scanned, or is pending: not `end` if the front has closed the window.
    bool run_round(unit begin, unit end, unit& done) {
        round r(*this, begin, end);
        const bool is_long_enough = threads_ != 1 && end - begin >= fewest();
        const stopwatch watch(is_long_enough);
        run_loop(r);
        if (r.node.is_stopped())
            return false;
        done = settle(r.front);
        if (is_long_enough && done == end)
            learn(static_cast<std::uint64_t>(watch.ns()), end - begin);
        return true;
    }

    // The body with which the front did its last final scan.
    Body* last_of_front() {
        if constexpr (Plan::deterministic)
            return spare_ ? &**spare_ : &body_;
        else
            return front_;
    }

    // Called after each round, when the front has come to `at`: parts that were scanned ahead now wait for their final
    // scan. The front goes on behind them, at the unit that is returned. Parts behind a window that was closed are kept
    // until the front comes to them.
    unit settle(unit at) {
        if (!pending_.empty() && pending_.back().units.last == all_units())
            last_ = std::move(pending_.back());
        pending_.clear();
        pending_units_ = 0;
        next_pending_.store(0, std::memory_order_relaxed);
        for (std::vector<summed_part>& some : summed_by_) {
            std::move(some.begin(), some.end(), std::back_inserter(summed_));
            some.clear();
        }
        std::sort(summed_.begin(), summed_.end(),
                  [](const auto& a, const auto& b) { return a.units.first < b.units.first; });
        auto part = summed_.begin();
        for (; part != summed_.end() && part->units.first == at; ++part) {
            at = part->units.last;
            pending_units_ += part->units.last - part->units.first;
            if constexpr (in_runs) {
                pass(*part, *front_);
                pending_.push_back(std::move(*part));
            } else {
                (*part->sum)->reverse_join(*front_);
                pending_.push_back({part->units, front_, std::move(front_owner_)});
                move_front(std::move(part->sum));
            }
        }
        summed_.erase(summed_.begin(), part);
        return at;
    }

    void move_front(box to) {
        front_owner_ = std::move(to);
        front_ = &**front_owner_;
    }

    box fresh() {
        auto made = std::make_unique<std::optional<Body>>();
        made->emplace(body_, halves());
        return made;
    }

    template <class Tag>
    void scan(const round& r, unit_interval units, Body& body, Tag tag) const {
        deliver_units<Plan>(cut_, units.first, units.last, r.node,
                            [&](const Range& piece) { body(piece, tag); });
    }

    // What it takes says how long a unit takes one thread. By the round's time units would look the longer the more
    // threads are in each other's way, and be worth still more of them. Nor do the front's claims count, which wait for
    // those of the others.
    void scan_from_the_front(round& r) {
        // Two threads seldom wait for each other. With looks at the clock 1,024 numbers on two virtual cores took 1.5
        // us, without them 1.0.
        const bool with_claims = r.threads <= 2;
        const stopwatch all(threads_ != 1);
        double in_parts = 0;
        unit timed = 0;
        for (unit_interval part = r.window.reserved(); !part.empty() && !r.node.is_stopped();
             part = r.window.claim_front()) {
            const bool is_timed = !with_claims && in_parts < scan_pace::enough_ns;
            const stopwatch watch(is_timed);
            scan_at_the_front(r, part);
            r.front = part.last;
            if (is_timed)
                in_parts += watch.ns();
            if (is_timed || with_claims)
                timed += part.last - part.first;
            if (is_timed || (with_claims && r.threads < threads_))
                compare_with_others(r, with_claims ? all.ns() : in_parts, timed);
        }
        if (threads_ != 1 && timed != 0 && !r.node.is_stopped())  // else a part was left in the middle
            pace().learn(with_claims ? all.ns() : in_parts, timed);
    }
    // The round has as many threads as it is worth by what is known of other scans from this call site. If the front
    // finds that this scan is another matter, the rest is left to a round with more threads.
    void compare_with_others(round& r, double ns, unit units) {
        if (ns < scan_pace::evidence_ns || r.threads == threads_ || r.node.is_stopped())
            return;
        pace().learn(ns, units);
        if (pace().worth(r.window.left(), threads_) >= std::min<unit>(2 * r.threads, threads_))
            r.window.close();
    }
    void scan_at_the_front(round& r, unit_interval part) {
        if constexpr (Plan::deterministic)
            scan_twice(r, part);
        else
            scan(r, part, *front_, final_scan_tag());
    }

    void scan_twice(const round& r, unit_interval part) {
        if constexpr (in_runs) {
            finished_by_front_ = scan_runs(cut_, part, runs_, *front_);
        } else {
            for (unit u = part.first; u != part.last && !r.node.is_stopped(); ++u)
                scan_twice(r, u);
        }
    }
    void scan_twice(const round& r, unit u) {
        if (spare_)
            spare_->emplace(body_, halves());
        else
            spare_ = fresh();
        scan(r, {u, u + 1}, **spare_, pre_scan_tag());
        if (r.node.is_stopped())
            return;
        (*spare_)->reverse_join(*front_);
        scan(r, {u, u + 1}, *front_, final_scan_tag());
        box left = std::move(front_owner_);
        move_front(std::move(spare_));
        spare_ = std::move(left);
    }

    // For one unit of the round's loop, which one thread runs. Until the round is over only that thread uses the unit's
    // list of sums. (With one list for all under a mutex, a thread that lost its CPU while it held the mutex would hold
    // up all others.)
    void scan_ahead(round& r, unit who) {
        std::vector<summed_part> mine = std::move(summed_by_[who]);
        scan_ahead(r, mine);
        summed_by_[who] = std::move(mine);
    }
    void scan_ahead(round& r, std::vector<summed_part>& sums) {
        while (!r.node.is_stopped()) {
            const unit_interval part = r.window.claim_back();
            if (part.empty())
                return;
            if constexpr (in_runs) {
                sums.push_back(sum_runs(cut_, part, runs_, body_));
            } else {
                const unit step = Plan::deterministic ? 1 : part.last - part.first;
                for (unit u = part.first; u != part.last; u += step) {
                    summed_part summed{{u, u + step}, fresh()};
                    scan(r, summed.units, **summed.sum, pre_scan_tag());
                    sums.push_back(std::move(summed));
                }
            }
        }
    }

    void scan_pending(const round& r) {
        while (!r.node.is_stopped()) {
            // relaxed: the number only says which thread has the part.
            const std::size_t i = next_pending_.fetch_add(1, std::memory_order_relaxed);
            if (i >= pending_.size())
                return;
            // Parts that were claimed first lie at the back and are the longest. Beginning at the back takes 0.98 of
            // the time in runs, and 1.01 of it without runs: parts that were summed last are still in a nearer cache.
            pending_part& part = pending_[in_runs ? pending_.size() - 1 - i : i];
            if constexpr (in_runs)
                finish_runs(cut_, part, runs_, body_);
            else
                scan(r, part.units, *part.body, final_scan_tag());
        }
    }

    unit runs_;                       // runs in a unit
    cut_of<Range, Partitioner> cut_;  // cuts the range into runs
    Body& body_;
    Body* front_;      // holds the sum of everything to the left of the next window
    box front_owner_;  // empty: the front is the caller's body
    box spare_;
    task_group_context* context_;
    unsigned threads_;
    call_cost calls_;
    unit longer_ = 0;  // the least size of the next window, so that calls cost little

    std::vector<pending_part> pending_;
    unit pending_units_ = 0;
    std::optional<pending_part> last_;  // the part with the last unit; empty: the front scanned it
    typename value_of<Body>::type finished_by_front_{};  // used in runs
    std::vector<std::vector<summed_part>> summed_by_;    // one list for each unit of the loop
    std::vector<summed_part> summed_;                    // of all lists, in order
    alignas(cache_line) std::atomic<std::size_t> next_pending_{0};
};

// The loop of a round. The thread that runs unit 0 is the front.
template <class Range, class Body, class Partitioner, class Plan>
struct scan_rounds<Range, Body, Partitioner, Plan>::round : loop_job {
    round(scan_rounds& s, unit begin, unit end)
        : threads(static_cast<unsigned>(pace().worth(end - begin + s.pending_units_, s.threads_))),
          window(begin, end, threads, s.threads_), front(begin), scan(s) {
        run = [](loop_job& job, void*, unit first, unit last) {
            auto& self = static_cast<round&>(job);
            for (unit u = first; u != last; ++u) {
                if (u == 0)
                    self.scan.scan_from_the_front(self);
                self.scan.scan_pending(self);
                if (u != 0)
                    self.scan.scan_ahead(self, u);
            }
        };
        units = threads;
        mode = pace().is_long(end - begin + s.pending_units_) ? balance::fixed : balance::adaptive;
        site = &site_of<round>::value;
        context = s.context_;
    }

    unsigned threads;
    scan_window window;
    unit front;  // to where it has scanned
    scan_rounds& scan;
};

}  // namespace detail
}  // namespace bough
