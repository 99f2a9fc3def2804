#pragma once
// What carries messages between the ranks of a run. One thread of each rank, its agent, calls it; no call waits.
// Messages of one pair of ranks arrive in the order they were sent; between pairs there is no order. None is lost: a
// rank that cannot be reached ends the run.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "cluster/message.h"

namespace bough::cluster {

using time_ns = std::int64_t;
constexpr time_ns never = INT64_MAX;

class transport {
public:
    virtual ~transport() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    // Since a moment that is fixed for this rank; real or virtual.
    virtual time_ns now() const = 0;
    // Fills in the sender.
    virtual void send(int to, message m) = 0;
    // The next message that has arrived.
    virtual std::optional<message> poll() = 0;
    // Is anything that was sent not out yet? It goes on while this, or poll, is called, and may not without.
    virtual bool is_sending() { return false; }
    // To that rank.
    virtual bool is_sending_to(int /*rank*/) { return false; }
    // Has a message come in part? Those behind it wait until poll has read it, of whichever sender they are.
    virtual bool is_receiving() const { return false; }
    // Ends the run on all ranks, for a reason that one rank has found; throws where it has no means to.
    virtual void give_up(const std::string& why) { throw std::runtime_error(why); }
};

}  // namespace bough::cluster
