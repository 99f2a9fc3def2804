#pragma once
// The messages of one operation of a rank, out of those of all: what belongs to an earlier operation is dropped, what
// belongs to a later one is kept until this rank performs it.

#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "cluster/transport.h"

namespace bough::cluster {

class epoch_channel {
public:
    explicit epoch_channel(transport& below) : below_(below) {}

    int rank() const { return below_.rank(); }
    int size() const { return below_.size(); }
    time_ns now() const { return below_.now(); }

    void send(int to, message_body body) {
        ++sent_;
        below_.send(to, {epoch_, rank(), std::move(body)});
    }
    std::optional<message> poll() {
        if (auto kept = take_kept())
            return kept;
        while (auto m = below_.poll()) {
            ++received_;
            if (m->epoch == epoch_)
                return m;
            if (m->epoch > epoch_)
                kept_.push_back(std::move(*m));
            else
                ++dropped_;
        }
        return std::nullopt;
    }
    void next_epoch() { ++epoch_; }
    std::uint32_t epoch() const { return epoch_; }

    std::uint64_t messages_sent() const { return sent_; }
    std::uint64_t messages_received() const { return received_; }
    std::uint64_t messages_dropped() const { return dropped_; }

private:
    // All kept messages are of this epoch or of later ones, in their order of arrival.
    std::optional<message> take_kept() {
        for (auto m = kept_.begin(); m != kept_.end(); ++m) {
            if (m->epoch <= epoch_) {
                auto found = std::move(*m);
                kept_.erase(m);
                return found;
            }
        }
        return std::nullopt;
    }

    transport& below_;
    std::uint32_t epoch_ = 0;
    std::deque<message> kept_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace bough::cluster
