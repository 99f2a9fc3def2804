#include "search/crew.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include "cluster/parameter_names.h"
#include "cluster/victim_policy.h"
#include "cluster/what_was_thrown.h"
#include "cluster/wire.h"

namespace bough::search {

crew::crew(cluster::session& session, cluster::transport& over) : session_(session), over_(over) {}

// ---- the agent's thread

int crew::run(const std::function<int(ranks&)>& program) {
    std::thread other([&] { run_program(program); });
    try {
        serve();
    } catch (...) {
        // Ends the process: the program's thread may wait for something that does not come any more.
        over_.give_up("rank " + std::to_string(rank()) + ": " + cluster::what_was_thrown());
    }
    other.join();
    session_.end();
    return status_;
}

// MPI moves a large value only while both sides call it: the ranks below this one may still wait for what they were
// sent, while the program here computes.
crew::wish crew::next_wish() {
    // As in an operation. With 1 ms a value takes three times as long.
    constexpr std::chrono::microseconds between_looks{100};
    constexpr std::chrono::hours very_long{1};  // `never` would overflow
    for (;;) {
        const cluster::time_ns due = session_.show_life();
        std::chrono::nanoseconds pause = very_long;
        if (due != cluster::never)
            pause = std::chrono::nanoseconds(due - over_.now());
        if (over_.is_sending())
            pause = std::min<std::chrono::nanoseconds>(pause, between_looks);
        std::unique_lock lock(mutex_);
        if (changes_.wait_for(lock, pause, [&] { return wish_ != wish::none; }))
            return wish_;
    }
}

void crew::serve() {
    for (;;) {
        switch (next_wish()) {
        case wish::search:
            search();
            continue;
        case wish::merge:
            merged_ = session_.all_reduce(std::move(merged_), *this);
            break;
        default:
            if (thrown_)
                std::rethrow_exception(thrown_);
            return;
        }
        const std::lock_guard lock(mutex_);
        wish_ = wish::none;
        changes_.notify_all();
    }
}

void crew::search() {
    session_.tune(how_.with);
    const auto policy = cluster::make_policy(how_.policy, rank(), size(), how_.seed, how_.with);
    try {
        steals_ = session_.search(locality_, *policy);
        {
            const std::lock_guard lock(mutex_);
            // Before finish(): then the program may ask for more. If the search has thrown, it has done so already.
            if (wish_ == wish::search)
                wish_ = wish::none;
        }
        locality_.finish();
    } catch (const search_failed&) {
        std::unique_lock lock(mutex_);
        // The program's exception has the better text. It does not come if the program has caught it; then the run
        // ends all the same, as the other ranks search for ever.
        const auto has_left = [&] { return wish_ == wish::leave; };
        if (changes_.wait_for(lock, std::chrono::seconds(1), has_left) && thrown_)
            std::rethrow_exception(thrown_);
        throw;
    }
}

void crew::begin_merge(cluster::bytes into, cluster::bytes from) {
    into_ = std::move(into);
    from_ = std::move(from);
    const std::lock_guard lock(mutex_);
    pair_ = pair::given;
    changes_.notify_all();
}

std::optional<cluster::bytes> crew::take_merged() {
    {
        const std::lock_guard lock(mutex_);
        if (pair_ != pair::merged)
            return std::nullopt;
        pair_ = pair::none;
    }
    if (thrown_)
        std::rethrow_exception(thrown_);
    return std::move(into_);
}

// ---- the program's thread

void crew::run_program(const std::function<int(ranks&)>& program) {
    try {
        status_ = program(*this);
    } catch (...) {
        thrown_ = std::current_exception();
    }
    ask_for(wish::leave);
}

void crew::ask_for(wish what) {
    const std::lock_guard lock(mutex_);
    wish_ = what;
    changes_.notify_all();
}

void crew::use(const stealing& how) {
    cluster::check_parameters(how.with);
    cluster::make_policy(how.policy, rank(), size(), how.seed, how.with);  // throws if there is none
    how_ = how;
}

options crew::together(options o) {
    if (o.how == skeleton::sequential && size() > 1)
        throw std::invalid_argument(
            "bough::search: the sequential skeleton runs on one rank, and there are " +
            std::to_string(size()));
    o.outside = o.how == skeleton::sequential ? nullptr : this;
    return o;
}

void crew::begin(detail::local_work& work) {
    locality_.open(work);
    ask_for(wish::search);
}

detail::byte_string crew::merge(detail::byte_string mine, const detail::merge_function& with) {
    merged_ = std::move(mine);
    ask_for(wish::merge);
    std::unique_lock lock(mutex_);
    for (;;) {
        changes_.wait(lock, [&] { return wish_ == wish::none || pair_ == pair::given; });
        if (wish_ == wish::none)
            return std::move(merged_);
        lock.unlock();
        try {
            with(into_, from_);
        } catch (...) {  // the agent ends the run, and this thread waits for that
            thrown_ = std::current_exception();
        }
        lock.lock();
        pair_ = pair::merged;
    }
}

counters crew::sum(const counters& mine) {
    cluster::wire_writer to;
    to.put(rank_share{rank(), mine, steals_});
    const detail::byte_string all =
        merge(to.take(), [](detail::byte_string& into, const detail::byte_string& from) {
            into.insert(into.end(), from.begin(), from.end());
        });
    shares_.clear();
    for (cluster::wire_reader from(all); from.left() != 0;)
        shares_.push_back(from.get<rank_share>());
    std::sort(shares_.begin(), shares_.end(),
              [](const rank_share& a, const rank_share& b) { return a.rank < b.rank; });
    counters total;
    for (const rank_share& s : shares_)
        total.add(s.counted);
    return total;
}

std::string crew::broadcast(std::string of_first) {
    const auto* const first = reinterpret_cast<const std::byte*>(of_first.data());
    detail::byte_string mine;
    if (rank() == 0)
        mine.assign(first, first + of_first.size());
    // Only rank 0 has anything, whichever way its value comes.
    const detail::byte_string all =
        merge(std::move(mine), [](detail::byte_string& into, const detail::byte_string& from) {
            if (into.empty())
                into = from;
        });
    return {reinterpret_cast<const char*>(all.data()), all.size()};
}

}  // namespace bough::search
