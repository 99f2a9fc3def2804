// Searches of all ranks against published answers and recursion, for tests. Rank 0 says how many, or what is wrong.
//
//     answers_program answers quick   problems of examples/search: each policy with one skeleton, each skeleton with
//                                     one policy
//     answers_program answers long    the same problems: all policies with all skeletons
//     answers_program trees COUNT     so many random trees: sums, optima, decisions; and trees that take for ever if a
//                                     rank does not hear of what another one has found
//     answers_program throws RANK     a visit throws there, while the others search
//     answers_program forever         a search that takes hours
//     answers_program differs OF OTHERS RANK  what that rank does, and what the others do, a letter for each step:
//                                     e enumerates, b broadcasts, s sleeps for 2 s, h for an hour, t throws a number,
//                                     f enumerates for hours, m maximises for hours, j enumerates and takes 2 s for
//                                     each join of two ranks' values, x throws then

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "examples/search/files.h"
#include "examples/search/programs.h"
#include "search/random_tree.h"
#include "search/ranks.h"
#include "search/skeletons.h"

namespace {

using namespace bough::search;
using bough_test::bounded_tree;
using bough_test::random_tree;
using bough_test::tree_sum;
using bough_test::way;

const std::string data = BOUGH_SEARCH_DATA;

void expect(bool holds, const std::string& what) {
    if (!holds)
        throw std::runtime_error("not so: " + what);
}

// Over all searches; the same on all ranks.
struct totals {
    std::uint64_t searches = 0, tasks = 0, taken = 0, bounds = 0;
} total;

// After each search.
void expect_whole(const ranks& all, const counters& c, const std::string& what) {
    expect(c.spawned == c.executed && c.executed == c.local + c.remote && c.complete,
           "each task is executed once, " + what);
    expect(all.shares().size() == static_cast<std::size_t>(all.size()), "each rank has its share, " + what);
    std::uint64_t given = 0, taken = 0;
    for (const rank_share& s : all.shares()) {
        given += s.steals.tasks_given, taken += s.steals.tasks_taken;
        total.bounds += s.steals.bounds_sent;
    }
    expect(given == taken, "all given tasks were taken, " + what);
    ++total.searches;
    total.tasks += c.executed;
    total.taken += taken;
}

// What the searches are to test has happened.
int end(const ranks& all) {
    expect(all.size() == 1 || (total.taken != 0 && total.bounds != 0),
           "tasks and bounds go from rank to rank");
    if (all.is_first())
        std::printf(
            "ok, %llu searches, %llu tasks, %llu of them taken from another rank, %llu bounds sent\n",
            static_cast<unsigned long long>(total.searches), static_cast<unsigned long long>(total.tasks),
            static_cast<unsigned long long>(total.taken), static_cast<unsigned long long>(total.bounds));
    return 0;
}

// ---- problems of examples/search

struct problem {
    const char* name;
    bool is_light;  // takes less than 0.1 s
    searches::report (*run)(const options&);
};

searches::report known_tree(const char* name, const options& o) {
    const searches::named_tree* const t = searches::find_tree(name);
    return searches::run_uts(t->parameters, &t->size, o);
}

searches::report expect_best(std::int64_t best, searches::report r) {
    if (r.answer["objective"] != best)
        r.wrong = "the best is " + std::to_string(best) + ", not " + r.answer["objective"].dump();
    return r;
}

searches::report known_clique(const char* name, std::int64_t size, const options& o) {
    return expect_best(size, searches::run_clique(std::string(name), {}, o));
}

template <bool Found>
searches::report decided_clique(const char* name, std::int64_t target, const options& o) {
    searches::report r = searches::run_clique(std::string(name), target, o);
    if (r.answer["found"] != Found)
        r.wrong = Found ? "such a clique exists" : "no such clique exists";
    return r;
}

const problem problems[] = {
    {"T1", false, [](const options& o) { return known_tree("T1", o); }},
    {"T2", false, [](const options& o) { return known_tree("T2", o); }},
    {"T3", false, [](const options& o) { return known_tree("T3", o); }},
    {"brock200_4", true, [](const options& o) { return known_clique("brock200_4", 17, o); }},
    {"MANN_a27", false, [](const options& o) { return known_clique("MANN_a27", 126, o); }},
    {"semigroups 20", true, [](const options& o) { return searches::run_semigroups(20, o); }},
    {"keller4", true, [](const options& o) { return known_clique("keller4", 11, o); }},
    {"hamming8-4", true, [](const options& o) { return known_clique("hamming8-4", 16, o); }},
    {"hamming8-4, 16", true, [](const options& o) { return decided_clique<true>("hamming8-4", 16, o); }},
    {"keller4, 12", true, [](const options& o) { return decided_clique<false>("keller4", 12, o); }},
    {"knapsackTest1", true,
     [](const options& o) {
         return expect_best(6925, searches::run_knapsack(data + "/knapsackTest1.kp", {}, o));
     }},
    {"burma14", true,
     [](const options& o) { return expect_best(3323, searches::run_tsp(data + "/burma14.tsp", {}, o)); }},
};

struct choice {
    std::string policy;
    way how;
};

std::vector<choice> choices(bool all) {
    std::vector<choice> some;
    for (const std::string& policy : policy_names())
        for (way w : bough_test::usual_ways()) {
            w.options.budget = 1000;
            if (w.options.how != skeleton::sequential &&
                (all || w.options.how == skeleton::budget || policy == "random"))
                some.push_back({policy, w});
        }
    return some;
}

void run_one(ranks& all, const problem& p, const choice& c, std::uint64_t seed) {
    const std::string what = std::string(p.name) + ", " + c.policy + ", " + c.how.name;
    all.use({c.policy, seed, {}});
    const searches::report r = p.run(all.together(c.how.options));
    expect(r.wrong.empty(), what + ": " + r.wrong);
    expect_whole(all, r.counted, what);
}

int answers(ranks& all, bool at_length) {
    const std::vector<choice> some = choices(at_length);
    std::uint64_t searched = 0, place = 0;
    for (const problem& p : problems) {
        ++place;
        for (std::size_t i = 0; i < some.size(); ++i)
            if (at_length || p.is_light ||
                i % 4 == place % 4)  // each choice has one problem that is not light
                run_one(all, p, some[i], ++searched);
    }
    if (at_length)
        for (const choice& c : choices(false))
            run_one(
                all,
                {"semigroups 30", false, [](const options& o) { return searches::run_semigroups(30, o); }}, c,
                ++searched);
    return end(all);
}

// ---- random trees

// Makes children slowly, so that other ranks have time to steal; every other pair of trees is as fast as it can be.
struct slow_tree : bounded_tree {
    explicit slow_tree(std::uint64_t seed)
        : bounded_tree(true, seed, 1 + static_cast<unsigned>(seed % 7), 4), is_slow(seed % 4 < 2) {}
    struct children : bounded_tree::children {
        children(const slow_tree& of, const node& n) : bounded_tree::children(of, n) {
            if (of.is_slow)
                std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    };
    bool is_slow;
};

void run_tree(ranks& all, const choice& c, std::uint64_t seed) {
    const std::string what = c.policy + ", " + c.how.name + ", seed " + std::to_string(seed);
    const slow_tree tree(seed);
    const options o = all.together(c.how.options);
    all.use({c.policy, seed, {}});

    tree_sum expected;
    sum_below(tree, tree.root(), expected);
    const auto sum = enumerate(tree, tree.root(), tree_sum{}, o);
    expect(sum.value == expected && sum.counted.nodes == expected.nodes, "each node once, " + what);
    expect_whole(all, sum.counted, what);

    const std::int64_t best = tree.best_below(tree.root());
    const bool exists = best > -1'000'000;
    const auto largest = maximise(tree, tree.root(), o);
    expect(largest.node.has_value() == exists, "an optimum is found if there is one, " + what);
    expect(!exists || (largest.objective == best && tree.objective(*largest.node) == best),
           "the optimum, " + what);
    expect_whole(all, largest.counted, what);

    const auto some = decide_at_least(tree, tree.root(), best, o);
    expect(some.node.has_value() == exists && (!exists || some.objective >= best), "a decision, " + what);
    expect_whole(all, some.counted, what);
    const auto none = decide_at_least(tree, tree.root(), best + 1, o);
    expect(!none.node, "nothing is better than the best, " + what);
    expect_whole(all, none.counted, what);
}

// The left side has no solution and takes for ever; the one on the right takes 20 ms. Rank 0 begins on the left with
// its one thread, so another rank has to find the solution, and rank 0 has to hear of it.
struct two_sides {
    enum class side : std::uint32_t { both, left, right };
    struct node {
        side at;
        std::uint32_t depth;
    };
    struct children {
        children(const two_sides&, const node& n) : parent(n) {
            std::this_thread::sleep_for(std::chrono::microseconds(n.at == side::right ? 1000 : 10));
        }
        std::size_t num_children() const {
            const bool is_right = parent.at == side::right;
            return parent.depth == (is_right ? 20 : 60) ? 0 : is_right ? 1 : 2;
        }
        node next() {
            const side below[] = {side::left, side::right};
            return {parent.at == side::both ? below[made++] : parent.at, parent.depth + 1};
        }
        node parent;
        unsigned made = 0;
    };
    std::optional<std::int64_t> objective(const node& n) const {
        return n.at == side::right && n.depth == 20 ? std::optional<std::int64_t>(10) : std::nullopt;
    }
    std::int64_t bound(const node& n) const { return n.at == side::left ? left_bound : 10; }
    std::int64_t left_bound;
};

void one_rank_tells_all(ranks& all) {
    if (all.size() == 1)
        return;
    options o = all.together({});
    o.how = skeleton::depth_bounded;
    o.spawn_depth = 1;
    o.threads = 1;
    const two_sides::node root{two_sides::side::both, 0};
    const auto best = maximise(two_sides{5}, root, o);
    expect(best.node && best.objective == 10, "a bound ends what cannot be better");
    expect_whole(all, best.counted, "a bound");
    const auto some = decide_at_least(two_sides{10}, root, 10, o);
    expect(some.node && some.objective == 10, "a decision ends the search");
    expect_whole(all, some.counted, "a decision");
}

std::vector<choice> tree_choices() {
    std::vector<choice> some;
    for (const std::string& policy : policy_names())
        for (const way& w : bough_test::ways())
            if (w.options.how != skeleton::sequential)
                some.push_back({policy, w});
    return some;
}

int trees(ranks& all, std::uint64_t count) {
    const std::vector<choice> some = tree_choices();
    one_rank_tells_all(all);
    for (std::uint64_t seed = 0; seed < count; ++seed)
        run_tree(all, some[seed * 5 % some.size()], seed);
    return end(all);
}

// ---- what ends a run

// All binary numbers of 60 digits. A visit takes 10 us or more.
struct endless {
    struct node {
        std::uint64_t depth;
    };
    struct children {
        children(const endless&, const node& n) : depth(n.depth) {}
        std::size_t num_children() const { return depth < 60 ? 2 : 0; }
        node next() const { return {depth + 1}; }
        std::uint64_t depth;
    };
};

struct slow_count {
    int throwing_rank, rank;
    std::uint64_t nodes = 0;
    void visit(const endless&, const endless::node&, unsigned) {
        std::this_thread::sleep_for(std::chrono::microseconds(10));
        if (++nodes == 1000 && rank == throwing_rank)
            throw std::runtime_error("its visit has thrown");
    }
    void join(const slow_count& other) { nodes += other.nodes; }
};

int forever(ranks& all, int throwing_rank) {
    if (all.is_first()) {
        std::puts("searching");
        std::fflush(stdout);
    }
    options o;
    o.budget = 10;
    enumerate(endless{}, endless::node{0}, slow_count{throwing_rank, all.rank()}, all.together(o));
    return 0;
}

struct endless_pairs {
    struct node {
        std::uint64_t depth, more;
    };
    struct children {
        children(const endless_pairs&, const node& n) : depth(n.depth) {
            std::this_thread::sleep_for(std::chrono::microseconds(10));
        }
        std::size_t num_children() const { return depth < 60 ? 2 : 0; }
        node next() const { return {depth + 1, 0}; }
        std::uint64_t depth;
    };
    std::int64_t objective(const node&) const { return 0; }
};

// The join of a value that has come as bytes takes 2 s, or throws.
struct slow_join {
    bool throws = false;
    std::uint64_t nodes = 0;
    bool has_come = false;

    template <class Space, class Node>
    void visit(const Space&, const Node&, unsigned) {
        ++nodes;
    }
    void join(const slow_join& other) {
        if (other.has_come && throws)
            throw std::runtime_error("its join has thrown");
        if (other.has_come)
            std::this_thread::sleep_for(std::chrono::seconds(2));
        nodes += other.nodes;
    }
    void pack(std::vector<std::byte>& to) const {
        const auto* const first = reinterpret_cast<const std::byte*>(this);
        to.insert(to.end(), first, first + sizeof *this);
    }
    static slow_join unpack(const std::byte* from, std::size_t) {
        slow_join s;
        std::memcpy(&s, from, sizeof s);
        s.has_come = true;
        return s;
    }
};

void join_slowly(ranks& all, bool throws) {
    const auto found = enumerate(endless{}, endless::node{60}, slow_join{throws}, all.together({}));
    expect(found.value.nodes == 1, "one node");
}

int differs(ranks& all, const std::string& steps) {
    stealing how;  // quick to miss a rank
    how.with.alive_every = 150'000'000;
    how.with.lost_after = 1'500'000'000;
    all.use(how);
    options o;
    o.budget = 10;
    for (const char step : steps) {
        if (step == 'e')
            searches::run_semigroups(10, all.together(o));
        if (step == 'b')
            all.broadcast("text");
        if (step == 's')
            std::this_thread::sleep_for(std::chrono::seconds(2));
        if (step == 'h')
            std::this_thread::sleep_for(std::chrono::hours(1));
        if (step == 't')
            throw 7;
        if (step == 'f')
            forever(all, -1);
        if (step == 'j' || step == 'x')
            join_slowly(all, step == 'x');
        if (step == 'm')
            maximise(endless_pairs{}, {0, 0}, all.together(o));
    }
    if (all.is_first())
        std::puts("done");
    return 0;
}

int program(ranks& all, int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    const std::string how = argc > 2 ? argv[2] : "";
    if (mode == "answers")
        return answers(all, how == "long");
    if (mode == "trees")
        return trees(all, std::strtoull(how.c_str(), nullptr, 10));
    if (mode == "throws")
        return forever(all, std::atoi(how.c_str()));
    if (mode == "forever")
        return forever(all, -1);
    if (mode == "differs" && argc == 5)
        return differs(all, argv[std::atoi(argv[4]) == all.rank() ? 2 : 3]);
    return 3;
}

}  // namespace

int main(int argc, char** argv) {
    return on_ranks(argc, argv, [&](ranks& all) { return program(all, argc, argv); });
}
