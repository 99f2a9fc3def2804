#include "cluster/session.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "cluster/pause.h"
#include "cluster/wire.h"

namespace bough::cluster {

session::session(transport& over, const parameters& with)
    : channel_(over, [this](const message& m) { hear(m); }), with_(with),
      watch_(over.rank(), over.size(), with) {}

// ---- what it performs

void session::tune(const parameters& with) {
    with_ = with;
    watch_ = ring_watch(rank(), size(), with);
}

agent_counters session::search(local_work& work, victim_policy& policy) {
    agent search(channel_, work, mail_, policy, with_);
    perform(search, operation_kind::search);
    mail_.reset();
    return search.counters();
}

bytes session::all_reduce(bytes mine, merge_function merge) {
    merge_at_once here(std::move(merge));
    return all_reduce(std::move(mine), here);
}

bytes session::all_reduce(bytes mine, merger& merges) {
    return all_reduce(std::move(mine), merges, operation_kind::reduction);
}

bytes session::all_reduce(bytes mine, merger& merges, operation_kind what) {
    reduction r(channel_, std::move(mine), merges);
    perform(r, what);
    return r.take();
}

bytes session::broadcast(bytes from_rank_0) {
    if (rank() != 0)
        from_rank_0.clear();
    return all_reduce(std::move(from_rank_0), [](bytes&, const bytes&) {});
}

void session::agree(std::string_view arguments) {
    const auto* first = reinterpret_cast<const std::byte*>(arguments.data());
    const bytes wanted = broadcast({first, first + arguments.size()});
    const auto text = [](const bytes& of) {
        return std::string(reinterpret_cast<const char*>(of.data()), of.size());
    };
    wire_writer complaint;
    if (text(wanted) != arguments) {
        complaint.put(rank());
        complaint.put_bytes({first, arguments.size()});
    }
    const bytes all = all_reduce(complaint.take(), [](bytes& into, const bytes& from) {
        into.insert(into.end(), from.begin(), from.end());
    });
    if (all.empty())
        return;
    std::map<int, std::string> by_rank{{0, text(wanted)}};  // they came in any order
    for (wire_reader from(all); from.left() != 0;) {
        const int other = from.get<int>();
        by_rank[other] = text(from.get_bytes());
    }
    std::string said = "the ranks were given different arguments";
    for (const auto& [other, given] : by_rank)
        said += "\n  rank " + std::to_string(other) + ": " + given;
    end();  // all ranks throw: nothing may be on its way when MPI is finalised
    throw ranks_disagree(said);
}

void session::end() {
    // While a rank still computes, the others wait here, where it is watched.
    merge_at_once nothing([](bytes&, const bytes&) {});
    all_reduce({}, nothing, operation_kind::end);
    with_.lost_after = 0;  // an ALIVE that nobody receives would be left over
    watch_ = ring_watch(rank(), size(), with_);
    wire_writer mine;
    for (const std::uint64_t sent : channel_.sent_to())
        mine.put(sent);
    merge_at_once add([](bytes& into, const bytes& from) {
        wire_reader a(into), b(from);
        wire_writer sum;
        while (a.left() > 0)
            sum.put(a.get<std::uint64_t>() + b.get<std::uint64_t>());
        into = sum.take();
    });
    const bytes sums = all_reduce(mine.take(), add, operation_kind::end);
    wire_reader reader(sums);
    for (int before = 0; before < rank(); ++before)
        reader.get<std::uint64_t>();
    const auto to_me = reader.get<std::uint64_t>();
    // Of the reduction itself: its children's values; its parent's answer, or that all the others have begun it.
    const int children = std::clamp(size() - (2 * rank() + 1), 0, 2);
    const std::uint64_t expected =
        to_me + static_cast<std::uint64_t>(children + (rank() != 0 ? 1 : size() - 1));
    pause_between_looks pause;
    while (channel_.received_before() < expected) {
        channel_.poll();  // and drops it
        pause.nothing_happened();
    }
}

// ---- the agent's loop

void session::perform(operation& o, operation_kind what) {
    performs_ = what;
    not_begun_ = rank() == 0 ? size() - 1 : 0;
    if (rank() != 0)
        channel_.send(0, operation_begun{what});
    pause_between_looks pause;
    while (!is_over(o)) {
        if (work_on(o))
            pause.something_happened();
        else
            pause.nothing_happened();
    }
    channel_.next_epoch();
    watch_.begin();
}

time_ns session::show_life() {
    // What is still on its way to that rank says the same, and more would pile up behind it.
    if (watch_.is_send_due(channel_.now()) && !channel_.is_sending_to(watch_.next()))
        channel_.send(watch_.next(), alive{with_.alive_every});
    return watch_.send_due();
}

// Handles all that has arrived. False: nothing had.
bool session::work_on(operation& o) {
    bool any = false;
    while (!is_over(o)) {
        auto m = channel_.poll();
        if (!m)
            break;
        any = true;
        hear(*m);
        if (const auto* const begun = std::get_if<operation_begun>(&m->body))
            compare(m->from, begun->what);
        else if (!o.is_over())
            o.handle(*m);
    }
    if (!o.is_over())
        o.act();
    watch();
    return any;
}

// Of this operation or of a later one: the rank before may be ahead of this one.
void session::hear(const message& m) {
    if (m.from != watch_.before())
        return;
    watch_.heard(channel_.now());
    if (const auto* const sign = std::get_if<alive>(&m.body))
        watch_.heard_alive(sign->every_ns);
}

void session::watch() {
    show_life();
    if (channel_.is_receiving())
        watch_.pause(channel_.now());
    if (watch_.is_lost(channel_.now())) {
        std::ostringstream said;
        said << "rank " << rank() << " has not heard from rank " << watch_.before() << " for "
             << static_cast<double>(watch_.patience()) / 1_s << " s: it is lost or stopped, and the run ends";
        channel_.give_up(said.str());
    }
}

// Rank 0 alone compares, so that one message is printed. It misses nothing, as it leaves no operation before it has
// compared all ranks' (not_begun_). A reduction and the end could else be merged with each other: a rank's value comes
// to rank 0 by way of its parent, and may overtake what that rank has told rank 0 itself.
void session::compare(int other, operation_kind theirs) {
    --not_begun_;
    if (theirs == performs_)
        return;
    const auto does = [](int rank, operation_kind what) {
        return "rank " + std::to_string(rank) +
               (what == operation_kind::search      ? " searches"
                : what == operation_kind::reduction ? " broadcasts"
                                                    : " has ended");
    };
    std::string here = does(rank(), performs_), there = does(other, theirs);
    if (performs_ == operation_kind::end)
        std::swap(here, there);
    channel_.give_up(there + " while " + here +
                     ": all ranks make the same searches and broadcasts, in the same order");
}

}  // namespace bough::cluster
