#pragma once
// One rank in virtual time: performs its operations one after the other, as session does in real time.

#include <functional>
#include <memory>
#include <utility>

#include "cluster/delayed_transport.h"
#include "cluster/epoch_channel.h"
#include "cluster/operation.h"
#include "cluster/simulation/virtual_locality.h"
#include "cluster/virtual_network.h"

namespace bough::cluster {

class virtual_rank final : public virtual_process {
public:
    // The rank's next operation, or null: it has none left.
    using next_operation = std::function<std::unique_ptr<operation>(epoch_channel&)>;

    // `over` is the transport it uses: the network's, or one on top of that.
    virtual_rank(virtual_network& network, transport& over, next_operation next)
        : network_(network), channel_(over), next_(std::move(next)) {
        network_.attach(over.rank(), *this);
        network_.wake_at(over.rank(), 0);
    }

    // Whose workers' timers these are.
    void use(virtual_locality& locality) { locality_ = &locality; }
    // That transport holds messages back.
    void use(delayed_transport& over) { delayed_ = &over; }
    bool is_over() const { return begun_ && !running_; }
    const epoch_channel& channel() const { return channel_; }

    void act() override {
        if (!std::exchange(begun_, true))
            running_ = next_(channel_);
        while (running_) {
            while (!running_->is_over()) {
                auto m = channel_.poll();
                if (!m)
                    break;
                running_->handle(*m);
            }
            time_ns wake = running_->act();
            if (delayed_)
                wake = std::min(wake, delayed_->next_due());
            if (!running_->is_over()) {
                if (wake != never)
                    network_.wake_at(channel_.rank(), wake);
                return;
            }
            channel_.next_epoch();
            running_ = next_(channel_);
        }
    }
    void timer(std::uint64_t worker) override {
        locality_->worker_finished(worker);
        act();
    }

private:
    virtual_network& network_;
    epoch_channel channel_;
    next_operation next_;
    std::unique_ptr<operation> running_;
    virtual_locality* locality_ = nullptr;
    delayed_transport* delayed_ = nullptr;
    bool begun_ = false;
};

}  // namespace bough::cluster
