#pragma once
// What the ranks of a run do together, one after the other: a search, a reduction. Each is a state machine of one rank
// over an epoch_channel, so that it runs in real and in virtual time alike.

#include "cluster/transport.h"

namespace bough::cluster {

class operation {
public:
    virtual ~operation() = default;

    virtual void handle(message& m) = 0;
    // Does what is due. Returns when it wants to be called again though no message arrives, or `never`.
    virtual time_ns act() = 0;
    virtual bool is_over() const = 0;
};

}  // namespace bough::cluster
