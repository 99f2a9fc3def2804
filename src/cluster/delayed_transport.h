#pragma once
// A transport on top of another one that hands each message out later than it arrived, by a time for each sender. The
// clock is the receiver's, as clocks of different machines differ. Messages of one sender stay in order.

#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/transport_over.h"

namespace bough::cluster {

class delayed_transport final : public transport_over {
public:
    // By sender.
    delayed_transport(transport& below, std::vector<time_ns> delays)
        : transport_over(below), delays_(std::move(delays)), held_(delays_.size()) {}

    std::optional<message> poll() override {
        take_in();
        std::size_t first = held_.size();
        for (std::size_t sender = 0; sender < held_.size(); ++sender)
            if (!held_[sender].empty() &&
                (first == held_.size() || held_[sender].front().due < held_[first].front().due))
                first = sender;
        if (first == held_.size() || held_[first].front().due > now())
            return std::nullopt;
        message m = std::move(held_[first].front().what);
        held_[first].pop_front();
        return m;
    }
    // When the next message is due, or `never`: for those who are not called all the time.
    time_ns next_due() const {
        time_ns due = never;
        for (const auto& of_sender : held_)
            if (!of_sender.empty())
                due = std::min(due, of_sender.front().due);
        return due;
    }

private:
    struct held {
        time_ns due;
        message what;
    };

    void take_in() {
        while (auto m = transport_over::poll()) {
            const auto sender = static_cast<std::size_t>(m->from);
            held_[sender].push_back({now() + delays_[sender], std::move(*m)});
        }
    }

    std::vector<time_ns> delays_;
    std::vector<std::deque<held>> held_;
};

}  // namespace bough::cluster
