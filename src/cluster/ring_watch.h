#pragma once
// Each rank tells the next one that it is alive, and hears from the one before it: README.md, "A lost rank".

#include <algorithm>

#include "cluster/parameters.h"

namespace bough::cluster {

class ring_watch {
public:
    ring_watch(int rank, int size, const parameters& with)
        : next_((rank + 1) % size), before_((rank + size - 1) % size), alone_(size == 1),
          every_(with.alive_every), lost_after_(with.lost_after) {}

    int next() const { return next_; }
    int before() const { return before_; }

    // Of a new operation, to which the rank before may come late.
    void begin() {
        send_at_ = 0;
        heard_at_ = never;
        its_every_ = 0;
    }
    void heard(time_ns now) { heard_at_ = now; }
    // What the rank before has sent cannot be read now: the wait begins anew.
    void pause(time_ns now) {
        if (heard_at_ != never)
            heard_at_ = now;
    }
    // The rank before tells so often that it is alive. It may not be in the operation yet, and go by other parameters.
    void heard_alive(time_ns every) { its_every_ = every; }
    // The silence after which that rank is lost.
    time_ns patience() const { return std::max(lost_after_, 2 * its_every_); }
    // When a sign of life is due, or `never`.
    time_ns send_due() const { return alone_ || lost_after_ == 0 ? never : send_at_; }
    // Also notes that it was sent.
    bool is_send_due(time_ns now) {
        if (now < send_due())
            return false;
        send_at_ = now + every_;
        return true;
    }
    // To be asked all the time. If it was not for so long, this rank itself was stopped, and what the one before has
    // sent may not have been read yet: the wait begins anew.
    bool is_lost(time_ns now) {
        if (now - asked_at_ > patience() / 2)
            pause(now);
        asked_at_ = now;
        return lost_after_ != 0 && heard_at_ != never && now - heard_at_ > patience();
    }

private:
    int next_;
    int before_;
    bool alone_;
    time_ns every_;
    time_ns lost_after_;
    time_ns send_at_ = 0;
    time_ns heard_at_ = never;
    time_ns its_every_ = 0;
    time_ns asked_at_ = 0;
};

}  // namespace bough::cluster
