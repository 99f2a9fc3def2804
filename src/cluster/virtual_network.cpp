#include "cluster/virtual_network.h"

#include <algorithm>
#include <utility>

namespace bough::cluster {

virtual_network::virtual_network(int size, options with) : with_(std::move(with)), random_(with_.seed) {
    for (int rank = 0; rank < size; ++rank)
        ranks_.push_back({endpoint(*this, rank),
                          nullptr,
                          {},
                          {},
                          false,
                          0,
                          never,
                          std::vector<time_ns>(static_cast<std::size_t>(size), 0)});
}

void virtual_network::push(time_ns time, int rank, kind is, std::uint64_t what) {
    events_.push({std::max(time, now_), random_.next(), sequence_++, what, rank, is});
}

void virtual_network::send(int from, int to, message m) {
    m.from = from;
    place& receiver = ranks_[static_cast<std::size_t>(to)];
    time_ns arrives = now_ + with_.delay(from, to);
    if (with_.jitter > 0)
        arrives += static_cast<time_ns>(random_.fraction() * static_cast<double>(with_.jitter));
    if (with_.late_share > 0 && random_.fraction() < with_.late_share)
        arrives += with_.late_by;
    time_ns& last = receiver.last_arrival[static_cast<std::size_t>(from)];
    last = arrives = std::max(arrives, last + 1);
    std::uint64_t what = on_the_way_.size();
    if (free_.empty()) {
        on_the_way_.push_back(std::move(m));
    } else {
        what = free_.back();
        free_.pop_back();
        on_the_way_[what] = std::move(m);
    }
    push(arrives, to, kind::delivery, what);
}

std::optional<message> virtual_network::poll(int rank) {
    return std::exchange(ranks_[static_cast<std::size_t>(rank)].received, std::nullopt);
}

void virtual_network::wake_at(int rank, time_ns time) {
    place& at = ranks_[static_cast<std::size_t>(rank)];
    if (time >= at.wake)
        return;
    at.wake = std::max(time, now_);
    push(at.wake, rank, kind::wake);
}

void virtual_network::set_timer(int rank, time_ns time, std::uint64_t what) {
    push(time, rank, kind::timer, what);
}

bool virtual_network::step() {
    if (events_.empty())
        return false;
    const event e = events_.top();
    events_.pop();
    now_ = e.time;
    place& at = ranks_[static_cast<std::size_t>(e.rank)];
    switch (e.is) {
    case kind::delivery:
        arrive(at, e.rank, e.what);
        break;
    case kind::reception:
        receive(at, e.rank);
        break;
    case kind::wake:
        if (at.wake == e.time) {  // else it asked for an earlier time, and has had it
            at.wake = never;
            at.process->act();
        }
        break;
    case kind::timer:
        at.process->timer(e.what);
        break;
    }
    return true;
}

void virtual_network::arrive(place& at, int rank, std::uint64_t what) {
    at.arrived.push_back(std::move(on_the_way_[what]));
    free_.push_back(what);
    if (!std::exchange(at.reception_due, true))
        push(at.free_at, rank, kind::reception);
}

void virtual_network::receive(place& at, int rank) {
    at.received = std::move(at.arrived.front());
    at.arrived.pop_front();
    at.free_at = now_ + with_.receive_cost;
    at.reception_due = !at.arrived.empty();
    if (at.reception_due)
        push(at.free_at, rank, kind::reception);
    at.process->act();
}

}  // namespace bough::cluster
