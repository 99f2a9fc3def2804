#pragma once
// A transport on top of another one that hands everything on: the base of those that change a part of it.

#include <optional>
#include <string>
#include <utility>

#include "cluster/transport.h"

namespace bough::cluster {

class transport_over : public transport {
public:
    explicit transport_over(transport& below) : below_(below) {}

    int rank() const override { return below_.rank(); }
    int size() const override { return below_.size(); }
    time_ns now() const override { return below_.now(); }
    void send(int to, message m) override { below_.send(to, std::move(m)); }
    std::optional<message> poll() override { return below_.poll(); }
    bool is_sending() override { return below_.is_sending(); }
    bool is_sending_to(int rank) override { return below_.is_sending_to(rank); }
    bool is_receiving() const override { return below_.is_receiving(); }
    void give_up(const std::string& why) override { below_.give_up(why); }

private:
    transport& below_;
};

}  // namespace bough::cluster
