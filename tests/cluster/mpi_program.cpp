// A program on several ranks, for tests. It says "ok" once, or what is wrong.
//
//     mpi_program trees POLICY COUNT      so many searches of random trees, checked on all ranks; POLICY: or all
//     mpi_program delayed POLICY COUNT    the same, with messages from rank 0 and 1 delayed by 1 and 5 ms
//     mpi_program forever                 a search that takes an hour
//     mpi_program disagree RANK           that rank is given other arguments
//     mpi_program throws RANK             that rank throws, while the others search
//     mpi_program stalled                 rank 1 gives a large value, which takes twice as long as a rank may be silent

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cluster/delayed_transport.h"
#include "cluster/mpi_transport.h"
#include "cluster/session.h"
#include "cluster/transport_over.h"
#include "cluster/wire.h"
#include "thread_locality.h"

namespace {

using namespace bough::cluster;
using bough_test::thread_locality;

struct totals {
    std::uint64_t executed = 0, spawned = 0, given = 0, taken = 0, dropped = 0;
};

totals sum(session& ranks, const totals& mine) {
    wire_writer to;
    to.put(mine);
    const bytes all = ranks.all_reduce(to.take(), [](bytes& into, const bytes& from) {
        auto a = wire_reader(into).get<totals>();
        const auto b = wire_reader(from).get<totals>();
        a.executed += b.executed, a.spawned += b.spawned, a.given += b.given, a.taken += b.taken,
            a.dropped += b.dropped;
        wire_writer sum_of_both;
        sum_of_both.put(a);
        into = sum_of_both.take();
    });
    return wire_reader(all).get<totals>();
}

void expect(bool holds, const std::string& what) {
    if (!holds)
        throw std::runtime_error("not so: " + what);
}

// Every third search looks for a bound, every fifth for a target.
void search_one(session& ranks, const std::string& policy, std::uint64_t seed) {
    const auto tree =
        random_tree(seed, 1 + static_cast<std::uint32_t>(seed * 37 % 300), 4, seed % 2 == 0 ? 0 : 50'000);
    const auto target = static_cast<std::uint32_t>(tree.tasks.size() / 2);
    const bool decides = seed % 5 == 0;
    worker_mail& mail = ranks.mail();
    thread_locality work(tree, 2, mail, [&](std::uint32_t task) {
        if (seed % 3 == 0)
            mail.found_bound(task);
        if (decides && task == target)
            mail.found_target();
    });
    if (ranks.rank() == static_cast<int>(seed % static_cast<std::uint64_t>(ranks.size())))
        work.start_with_root();
    const auto chosen = make_policy(policy, ranks.rank(), ranks.size(), seed);
    const agent_counters counters = ranks.search(work, *chosen);
    const totals all = sum(
        ranks, {work.executed(), work.spawned(), counters.tasks_given, counters.tasks_taken, work.dropped()});
    expect(all.executed + all.dropped == all.spawned + 1,
           "every task is executed once, seed " + std::to_string(seed));
    expect(decides || all.executed == tree.tasks.size(), "the whole tree, seed " + std::to_string(seed));
    expect(all.given == all.taken, "all given tasks were taken");
}

int trees(session& ranks, const std::string& policy, std::uint64_t count) {
    const auto policies = policy == "all" ? policy_names() : std::vector<std::string>{policy};
    for (std::uint64_t seed = 1; seed <= count; ++seed)
        for (const std::string& name : policies)
            search_one(ranks, name, seed);
    ranks.end();
    if (ranks.rank() == 0)
        std::puts("ok");
    return 0;
}

int forever(session& ranks) {
    task_tree tree;
    for (std::uint32_t i = 0; i < 4'000'000; ++i)
        tree.tasks.push_back({1'000'000, i + 1, i + 1 < 4'000'000 ? 1u : 0u, i});
    thread_locality work(tree, 1, ranks.mail());
    if (ranks.rank() == 0) {
        work.start_with_root();
        std::puts("searching");
        std::fflush(stdout);
    }
    const auto chosen = make_policy("random", ranks.rank(), ranks.size(), 1);
    ranks.search(work, *chosen);
    return 0;
}

// MPI moves a large value only while its sender calls it. This sender does not for a while, but for its signs of life.
class stalled_transport final : public transport_over {
public:
    using transport_over::transport_over;
    void send(int to, message m) override {
        if (const auto* const value = std::get_if<partial_result>(&m.body);
            value && value->value.size() > 1'000'000)
            stalls_until_ = now() + 2_s;
        transport_over::send(to, std::move(m));
    }
    std::optional<message> poll() override {
        if (stalls())
            return std::nullopt;
        auto m = transport_over::poll();
        while (!m && !has_received_)  // so that rank 1 has heard rank 0 before it stalls
            m = transport_over::poll();
        has_received_ = true;
        return m;
    }
    bool is_sending() override { return false; }  // not asked below, as that would move the value on
    bool is_sending_to(int) override { return false; }

private:
    bool stalls() const { return now() < stalls_until_; }

    time_ns stalls_until_ = 0;
    bool has_received_ = false;
};

int stalled(transport& over) {
    stalled_transport slow(over);
    parameters quick;
    quick.alive_every = 100_ms;
    quick.lost_after = over.rank() == 0 ? 1_s : 30_s;  // rank 1 reads nothing while it stalls
    session ranks(over.rank() == 1 ? slow : over, quick);
    bytes mine(ranks.rank() == 1 ? 16'000'000 : 0, std::byte{7});
    const bytes all = ranks.all_reduce(std::move(mine), [](bytes& into, const bytes& from) {
        if (into.empty())
            into = from;
    });
    expect(all.size() == 16'000'000 && all.back() == std::byte{7}, "the value has come");
    ranks.end();
    if (ranks.rank() == 0)
        std::puts("ok");
    return 0;
}

int body(int argc, char** argv, transport& over) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "stalled")
        return stalled(over);
    std::vector<time_ns> delays(static_cast<std::size_t>(over.size()));
    delays[0] = 1_ms;
    if (over.size() > 1)
        delays[1] = 5_ms;
    delayed_transport late(over, delays);
    session ranks(mode == "delayed" ? late : over);
    const bool is_odd_one = argc > 2 && ranks.rank() == std::atoi(argv[2]);
    ranks.agree(mode == "disagree" && is_odd_one ? "--budget 7" : "--budget 5");
    if ((mode == "trees" || mode == "delayed") && argc == 4)
        return trees(ranks, argv[2], std::strtoull(argv[3], nullptr, 10));
    if (mode == "throws" && is_odd_one)
        throw std::runtime_error("its file has no line 3");
    if (mode == "forever" || mode == "throws")
        return forever(ranks);
    ranks.end();
    return 3;
}

}  // namespace

int main(int argc, char** argv) {
    return run_on_mpi(argc, argv, body);
}
