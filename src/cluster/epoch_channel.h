#pragma once
// The messages of one operation of a rank, out of those of all: what belongs to an earlier operation is dropped, what
// belongs to a later one is kept until this rank performs it.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/transport.h"

namespace bough::cluster {

class epoch_channel {
public:
    // on_kept is told of each message of a later operation, as it comes.
    using listener = std::function<void(const message&)>;
    explicit epoch_channel(
        transport& below, listener on_kept = [](const message&) {})
        : below_(below), on_kept_(std::move(on_kept)), sent_to_(static_cast<std::size_t>(below.size())) {}

    int rank() const { return below_.rank(); }
    int size() const { return below_.size(); }
    time_ns now() const { return below_.now(); }

    void send(int to, message_body body) {
        ++sent_to_[static_cast<std::size_t>(to)];
        below_.send(to, {epoch_, rank(), std::move(body)});
    }
    std::optional<message> poll() {
        if (auto kept = take_kept())
            return kept;
        while (auto m = below_.poll()) {
            ++received_;
            received_now_ += m->epoch == epoch_;
            if (m->epoch == epoch_)
                return m;
            if (m->epoch > epoch_) {
                on_kept_(*m);
                kept_.push_back(std::move(*m));
            } else {
                ++dropped_;
            }
        }
        return std::nullopt;
    }
    void next_epoch() {
        ++epoch_;
        received_now_ = 0;
        for (const message& m : kept_)
            received_now_ += m.epoch == epoch_;
    }
    std::uint32_t epoch() const { return epoch_; }

    // Since the start. received_before: of operations before this one.
    const std::vector<std::uint64_t>& sent_to() const { return sent_to_; }
    std::uint64_t received_before() const { return received_ - received_now_; }
    std::uint64_t dropped() const { return dropped_; }
    bool is_sending_to(int rank) { return below_.is_sending_to(rank); }
    bool is_receiving() const { return below_.is_receiving(); }
    void give_up(const std::string& why) { below_.give_up(why); }

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
    listener on_kept_;
    std::uint32_t epoch_ = 0;
    std::deque<message> kept_;
    std::vector<std::uint64_t> sent_to_;
    std::uint64_t received_ = 0;
    std::uint64_t received_now_ = 0;  // of this operation, read or kept
    std::uint64_t dropped_ = 0;
};

}  // namespace bough::cluster
