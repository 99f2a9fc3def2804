#pragma once
// Many ranks in one process and one thread, in virtual time. Events happen in the order of their times, and at random,
// by the seed, where times are equal. Each message takes its link's delay and a random part of the jitter, so
// messages of different pairs overtake each other; those of one pair do not, as in MPI. A rank receives one message
// after the other, each at a cost: a flood of requests takes its time.

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "cluster/random.h"
#include "cluster/transport.h"

namespace bough::cluster {

// What runs on one rank. It acts until it has nothing to do, and is called again at the next message or timer.
class virtual_process {
public:
    virtual ~virtual_process() = default;
    // A message has arrived, or a time set by wake_at has come.
    virtual void act() = 0;
    // A time set by set_timer has come.
    virtual void timer(std::uint64_t /*what*/) {}
};

class virtual_network {
public:
    struct options {
        std::function<time_ns(int from, int to)> delay = [](int, int) { return time_ns{1'000}; };
        time_ns jitter = 0;     // each message takes up to this much longer
        double late_share = 0;  // of all messages, these take late_by longer besides
        time_ns late_by = 0;
        time_ns receive_cost = 0;  // a rank's agent is busy with each message for so long
        std::uint64_t seed = 1;
    };

    virtual_network(int size, options with);
    virtual_network(const virtual_network&) = delete;
    virtual_network& operator=(const virtual_network&) = delete;

    int size() const { return static_cast<int>(ranks_.size()); }
    time_ns now() const { return now_; }
    transport& at(int rank) { return ranks_[static_cast<std::size_t>(rank)].end; }
    void attach(int rank, virtual_process& process) {
        ranks_[static_cast<std::size_t>(rank)].process = &process;
    }

    // Calls the rank's act() at that time, or earlier if it asked for an earlier time.
    void wake_at(int rank, time_ns time);
    void set_timer(int rank, time_ns time, std::uint64_t what);

    // The next event. False: there is none, and nothing will ever happen again.
    bool step();
    std::uint64_t events() const { return sequence_; }

private:
    class endpoint final : public transport {
    public:
        endpoint(virtual_network& network, int rank) : network_(network), rank_(rank) {}
        int rank() const override { return rank_; }
        int size() const override { return network_.size(); }
        time_ns now() const override { return network_.now_; }
        void send(int to, message m) override { network_.send(rank_, to, std::move(m)); }
        std::optional<message> poll() override { return network_.poll(rank_); }

    private:
        virtual_network& network_;
        int rank_;
    };

    enum class kind : std::uint8_t { delivery, reception, wake, timer };
    struct event {
        time_ns time;
        std::uint64_t tie;  // random
        std::uint64_t sequence;
        std::uint64_t what;  // a message's place, or the timer's
        std::int32_t rank;
        kind is;
        bool operator<(const event& other) const {  // the queue gives the largest
            if (time != other.time)
                return time > other.time;
            return tie != other.tie ? tie > other.tie : sequence > other.sequence;
        }
    };
    struct place {
        endpoint end;
        virtual_process* process = nullptr;
        std::deque<message> arrived;  // not yet received
        std::optional<message> received;
        bool reception_due = false;
        time_ns free_at = 0;  // its agent
        time_ns wake = never;
        std::vector<time_ns> last_arrival;  // by sender: messages of one pair stay in order
    };

    void send(int from, int to, message m);
    std::optional<message> poll(int rank);
    void push(time_ns time, int rank, kind is, std::uint64_t what = 0);
    void arrive(place& at, int rank, std::uint64_t what);
    void receive(place& at, int rank);

    options with_;
    random_numbers random_;
    time_ns now_ = 0;
    std::uint64_t sequence_ = 0;
    std::priority_queue<event> events_;
    std::deque<place> ranks_;
    std::vector<message> on_the_way_;
    std::vector<std::uint64_t> free_;
};

}  // namespace bough::cluster
