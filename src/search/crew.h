#pragma once
// The ranks of a run, as the program on one of them sees them, and the agent that serves it there.
//
// Two threads: the one that owns the transport is the agent and calls run(); the program runs in another one. The
// program's thread asks for one operation after the other: a search, a merge. The agent performs it together with the
// other ranks' agents, and then waits for the next one. README.md has the states.

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <bough/search/detail/outside.h>

#include "cluster/session.h"
#include "search/locality.h"
#include "search/ranks.h"

namespace bough::search {

class crew final : public ranks, private detail::outside_work, private cluster::merger {
public:
    // For one call of run(). The session is new, or was used by its thread alone.
    crew(cluster::session& session, cluster::transport& over);

    // Runs the program in another thread until it returns. What it throws ends the run on all ranks.
    int run(const std::function<int(ranks&)>& program);

    // ranks, for the program.
    int rank() const override { return session_.rank(); }
    int size() const override { return session_.size(); }
    void use(const stealing& how) override;
    options together(options o) override;
    std::string broadcast(std::string of_first) override;
    const std::vector<rank_share>& shares() const override { return shares_; }

private:
    enum class wish { none, search, merge, leave };
    // Two values of a merge: the agent has given them to the program's thread; they are one, or that has thrown.
    enum class pair { none, given, merged };

    // outside_work, for searches.
    bool has_root() const override { return rank() == 0; }
    void begin(detail::local_work& work) override;
    void found_bound(std::int64_t key) override { session_.mail().found_bound(key); }
    void found_target() override { session_.mail().found_target(); }
    void starved() override { session_.mail().starved(); }
    void failed() override { locality_.fail(); }
    detail::byte_string merge(detail::byte_string mine, const detail::merge_function& with) override;
    counters sum(const counters& mine) override;

    // merger, for the agent: the program's thread merges, as that may take longer than a rank may be silent.
    void begin_merge(cluster::bytes into, cluster::bytes from) override;
    std::optional<cluster::bytes> take_merged() override;

    void ask_for(wish what);
    wish next_wish();
    void serve();
    void search();
    void run_program(const std::function<int(ranks&)>& program);

    cluster::session& session_;
    cluster::transport& over_;
    locality locality_;

    // Of the program's thread; the agent reads them while it performs a wish.
    stealing how_;
    cluster::agent_counters steals_;  // of the last search; the agent writes it
    std::vector<rank_share> shares_;
    detail::byte_string merged_;  // to be merged, then what was merged
    int status_ = 0;
    std::exception_ptr thrown_;  // by the program, or by a merge

    // Of the thread that pair_ names: given, the program's; else the agent's.
    cluster::bytes into_, from_;

    // The hand-over between the two threads.
    std::mutex mutex_;
    std::condition_variable changes_;
    wish wish_ = wish::none;  // none: the last one is fulfilled
    pair pair_ = pair::none;
};

}  // namespace bough::search
