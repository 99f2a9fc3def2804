#pragma once
// What a program calls on each rank: searches, broadcasts and reductions, which all ranks perform in the same order.
// Only the thread that owns the transport calls it, and it is the rank's agent meanwhile. README.md has the
// protocol.      mpi_transport mpi(&argc, &argv);     session ranks(mpi);     ranks.agree(arguments);
// ranks.search(work, *make_policy("random", ranks.rank(), ranks.size(), seed));     total = ranks.all_reduce(mine,
// merge);     ranks.end();

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cluster/agent.h"
#include "cluster/reduction.h"
#include "cluster/ring_watch.h"

namespace bough::cluster {

// All ranks throw it, with the same text.
class ranks_disagree : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class session {
public:
    explicit session(transport& over, const parameters& with = {});
    session(const session&) = delete;  // the channel calls it
    session& operator=(const session&) = delete;

    int rank() const { return channel_.rank(); }
    int size() const { return channel_.size(); }
    // What workers of the next or the running search call.
    worker_mail& mail() { return mail_; }

    // For operations from now on; the same on all ranks.
    void tune(const parameters& with);
    // Throws ranks_disagree if a rank was given something else than rank 0: it names the ranks. The session has ended
    // then.
    void agree(std::string_view arguments);
    // The value of rank 0 on all ranks.
    bytes broadcast(bytes from_rank_0);
    // All merges are done by this thread: for those that take no time, as this rank shows no life meanwhile.
    bytes all_reduce(bytes mine, merge_function merge);
    bytes all_reduce(bytes mine, merger& merges);
    // Returns when all tasks of all ranks have been run, or a target was found. The first tasks are in the locality
    // of any rank before. What a worker told the mail before this call counts.
    agent_counters search(local_work& work, victim_policy& policy);
    // Between operations, while the program computes: tells the next rank that this one is alive. Returns when it must
    // be called again, or `never`. A rank that never calls it is not missed before it begins the next operation.
    time_ns show_life();
    // Before the transport goes: all messages of all ranks have been received.
    void end();

private:
    bytes all_reduce(bytes mine, merger& merges, operation_kind what);
    void perform(operation& o, operation_kind what);
    bool work_on(operation& o);
    bool is_over(const operation& o) const { return o.is_over() && not_begun_ == 0; }
    void hear(const message& m);
    void watch();
    // Rank 0: gives up if that rank has begun another kind of operation than this one.
    void compare(int other, operation_kind theirs);

    epoch_channel channel_;
    parameters with_;
    worker_mail mail_;
    ring_watch watch_;
    operation_kind performs_ = operation_kind::search;
    int not_begun_ = 0;  // rank 0: ranks that have not told what they perform
};

}  // namespace bough::cluster
