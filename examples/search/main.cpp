// bough-search: tree searches from the command line. README.md says which.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include <bough/global_control.h>

#include "files.h"
#include "programs.h"
#include "queens.h"
#include "search/ranks.h"
#include "semigroups.h"
#include "settings.h"

namespace {

using namespace searches;
using program = std::function<report(const bough::search::options&)>;

using bough::search::ranks;

nlohmann::ordered_json json_of(const bough::search::counters& c) {
    return {{"nodes", c.nodes},       {"pruned", c.pruned}, {"bounds", c.bounds}, {"spawned", c.spawned},
            {"executed", c.executed}, {"local", c.local},   {"remote", c.remote}};
}

std::string text_of(const bough::search::counters& c) {
    const auto n = [](std::uint64_t number) { return std::to_string(number); };
    return counted(c.nodes, "node") + " visited, " + n(c.pruned) + " pruned, " +
           counted(c.bounds, "better bound") + "; " + counted(c.spawned, "task") + " spawned, " +
           n(c.executed) + " executed (" + n(c.local) + " local, " + n(c.remote) + " remote)";
}

nlohmann::ordered_json json_of(const bough::search::rank_share& s) {
    const bough::cluster::agent_counters& a = s.steals;
    return {{"rank", s.rank},
            {"counters", json_of(s.counted)},
            {"steals", a.steals_sent},
            {"failed_steals", a.steals_failed},
            {"unanswered_steals", a.steals_unanswered},
            {"steal_time_ns", a.steal_time_ns},
            {"tasks_taken", a.tasks_taken},
            {"tasks_given", a.tasks_given},
            {"questions", a.questions},
            {"bounds_sent", a.bounds_sent},
            {"token_rounds", a.token_rounds}};
}

std::string text_of(const bough::search::rank_share& s) {
    const auto n = [](std::uint64_t number) { return std::to_string(number); };
    const bough::cluster::agent_counters& a = s.steals;
    return "rank " + std::to_string(s.rank) + ": " + counted(s.counted.nodes, "node") + ", " +
           counted(s.counted.executed, "task") + "; " + counted(a.steals_sent, "steal") + ", " +
           n(a.steals_failed) + " in vain, " + n(a.steals_unanswered) + " unanswered; " +
           counted(a.tasks_taken, "task") + " taken, " + n(a.tasks_given) + " given; " +
           counted(a.questions, "question") + ", " + counted(a.bounds_sent, "bound") + " sent";
}

std::string wrong(const report& r) {
    if (!r.wrong.empty())
        return r.wrong;
    const bough::search::counters& c = r.counted;
    if (c.spawned != c.executed || c.executed != c.local + c.remote)
        return "tasks were lost: " + text_of(c);
    return "";
}

void print(const report& r, const std::string& name, const settings& s, const ranks& all, double seconds) {
    const char* const skeleton = name_of(s.how.how);
    if (s.as_json) {
        nlohmann::ordered_json whole = {{"search", name},
                                        {"skeleton", skeleton},
                                        {"answer", r.answer},
                                        {"seconds", seconds},
                                        {"counters", json_of(r.counted)}};
        if (!all.shares().empty()) {
            whole["policy"] = s.steals.policy;
            for (const bough::search::rank_share& share : all.shares())
                whole["ranks"].push_back(json_of(share));
        }
        std::printf("%s\n", whole.dump(2).c_str());
        return;
    }
    std::printf("%s\n%.3f s, %s: %s\n", r.text.c_str(), seconds, skeleton, text_of(r.counted).c_str());
    if (all.shares().empty())
        return;
    std::printf("%s, %s\n", counted(static_cast<std::uint64_t>(all.size()), "rank").c_str(),
                s.steals.policy.c_str());
    for (const bough::search::rank_share& share : all.shares())
        std::printf("%s\n", text_of(share).c_str());
}

// The searches, each with its own options. On several ranks, rank 0 alone speaks.
class command_line {
public:
    explicit command_line(ranks& all) : all_(all), app_("Tree searches on bough.", "bough-search") {
        add_options(app_, settings_);
        app_.require_subcommand(1);
        app_.fallthrough();
        app_.footer("Exit status: 0; 1 if a search failed or its answer is wrong; 2 if the arguments or a "
                    "file were not "
                    "understood.");
        add_trees();
        add_best();
        add_queens();
    }

    int main(int argc, char** argv) {
        try {
            app_.parse(argc, argv);
        } catch (const CLI::ParseError& e) {
            return e.get_exit_code() == 0 ? help(e) : complain(what(e), 2);
        }
        if (const std::string refused = refused_option(app_, settings_); !refused.empty())
            return complain(refused, 2);
        if (settings_.how.how == bough::search::skeleton::sequential && all_.size() > 1)
            return complain(
                "--skeleton sequential runs on one rank, and there are " + std::to_string(all_.size()), 2);
        try {
            all_.use(settings_.steals);
        } catch (const std::invalid_argument& e) {  // on all ranks
            return complain(e.what(), 2);
        }
        try {
            return run(app_.get_subcommands().front()->get_name());
        } catch (const input_error& e) {  // on all ranks: they read the same text
            return complain(e.what(), 2);
        } catch (const std::exception& e) {
            if (all_.size() > 1)
                throw;  // perhaps on this rank alone
            return complain(e.what(), 1);
        }
    }

private:
    using options = bough::search::options;

    int complain(const std::string& what, int status) const {
        if (all_.is_first())
            std::fprintf(stderr, "bough-search: %s\n", what.c_str());
        return status;
    }

    // CLI11 says of a wrong name of a search only that one is missing.
    std::string what(const CLI::ParseError& e) const {
        if (e.get_name() != "RequiredError" || !app_.get_subcommands().empty())
            return e.what();
        const std::vector<std::string> words = app_.remaining();
        std::string names;
        for (const CLI::App* const search : app_.get_subcommands({}))
            names += (names.empty() ? "" : ", ") + search->get_name();
        return (words.empty() ? "no search is named" : "'" + words.front() + "' is no search") +
               "; there are " + names;
    }

    int help(const CLI::ParseError& e) const {
        std::ostringstream text;
        const int status = app_.exit(e, text, text);
        if (all_.is_first())
            std::fputs(text.str().c_str(), stdout);
        return status;
    }

    int run(const std::string& name) {
        std::optional<bough::global_control> limit;
        if (settings_.threads != 0) {
            limit.emplace(bough::global_control::max_allowed_parallelism, settings_.threads);
            settings_.how.threads = settings_.threads;
        }
        report r;
        const auto begin = std::chrono::steady_clock::now();
        {
            const progress_lines lines(settings_.how, all_.is_first() ? settings_.progress_s : 0,
                                       all_.size() > 1 ? "rank 0: " : "");
            r = programs_.at(name)(all_.together(settings_.how));
        }
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (all_.is_first())
            print(r, name, settings_, all_, seconds);
        if (std::fflush(stdout) != 0)
            return complain("the result cannot be written", 1);
        const std::string problem = wrong(r);
        return problem.empty() ? 0 : complain("wrong answer: " + problem, 1);
    }

    // The file that the search was given. Rank 0 reads it for all. `otherwise`: what else the name is not.
    problem_file file(const std::string& otherwise = "") {
        constexpr char is_read = '+', is_not = '-';
        std::string text;
        if (all_.is_first()) {
            const std::optional<std::string> read = text_of_file(file_);
            text = read ? is_read + *read : is_not + why_unreadable(file_, otherwise);
        }
        text = all_.broadcast(std::move(text));
        if (text[0] == is_not)
            throw input_error(text.substr(1));
        return {file_, text.substr(1)};
    }

    CLI::App& add(const char* name, const char* what, program p) {
        programs_[name] = std::move(p);
        return *app_.add_subcommand(name, what)->fallthrough();
    }

    void add_trees() {
        CLI::App& u = add("uts", "unbalanced tree search: nodes, leaves and depth of a random tree",
                          [this](const options& o) {
                              if (const named_tree* const t = find_tree(tree_name_))
                                  return run_uts(t->parameters, &t->size, o);
                              tree_.kind = static_cast<uts::tree>(kind_);
                              tree_.branching = static_cast<uts::shape>(shape_);
                              return run_uts(tree_, nullptr, o);
                          });
        std::vector<std::string> names;
        for (const named_tree& t : named_trees)
            names.emplace_back(t.name);
        CLI::Option* const tree = u.add_option("--tree", tree_name_, "a tree that comes with the original")
                                      ->check(CLI::IsMember(names));
        const auto own = [&](CLI::Option* o) { o->excludes(tree)->capture_default_str(); };
        own(u.add_option("-t", kind_, "0 binomial, 1 geometric, 2 hybrid")->check(CLI::Range(0, 2)));
        own(u.add_option("-a", shape_, "0 linear, 1 expdec, 2 cyclic, 3 fixed")->check(CLI::Range(0, 3)));
        own(u.add_option("-b", tree_.root_children, "children of the root")->check(CLI::Range(1.0, 1e6)));
        own(u.add_option("-d", tree_.depth, "depth of a geometric tree")->check(CLI::Range(1, 1'000'000)));
        own(u.add_option("-r", tree_.seed, "seed")->check(CLI::Range(0u, ~0u)));
        own(u.add_option("-q", tree_.probability, "binomial: that a node has children")
                ->check(CLI::Range(0.0, 1.0)));
        own(u.add_option("-m", tree_.inner_children, "binomial: their number")->check(CLI::Range(0, 1000)));
        own(u.add_option("-f", tree_.shift, "hybrid: geometric down to this part of the depth")
                ->check(CLI::Range(0.0, 1.0)));

        CLI::App& s = add("semigroups", "numerical semigroups of a genus",
                          [this](const options& o) { return run_semigroups(genus_, o); });
        s.add_option("--genus", genus_, "")->required()->check(CLI::Range(0u, semigroups::most_genus));
    }

    static CLI::Range not_negative() { return {std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}; }

    void add_best() {
        CLI::App& c = add("clique", "maximum clique", [this](const options& o) {
            return run_clique(make_graph(file_) ? problem_file(file_) : file(", and no graph of that name"),
                              target_, o);
        });
        c.add_option("GRAPH", file_,
                     "a DIMACS file, or a name such as brock200_1, hamming8-4, johnson16-2-4, keller4, "
                     "MANN_a27, c-fat200-1")
            ->required();
        c.add_option("--target", target_, "look for any clique of so many vertices")
            ->check(CLI::Range(std::int64_t{1}, std::int64_t{most_vertices}));
        CLI::App& k = add("knapsack", "0/1 knapsack",
                          [this](const options& o) { return run_knapsack(file(), target_, o); });
        k.add_option("FILE", file_, "capacity; best profit or 0; a line 'PROFIT WEIGHT' for each item")
            ->required();
        k.add_option("--target", target_, "look for any choice of this profit")->check(not_negative());
        CLI::App& t = add("tsp", "travelling salesman",
                          [this](const options& o) { return run_tsp(file(), target_, o); });
        t.add_option("FILE", file_, "a TSPLIB file, EUC_2D or GEO, of at most 64 cities")->required();
        t.add_option("--target", target_, "look for any round trip that is as short")->check(not_negative());
    }

    void add_queens() {
        CLI::App& q = add("queens", "queens on a board that do not threaten each other",
                          [this](const options& o) { return run_queens(size_, first_, o); });
        q.add_option("--size", size_, "of the board")->required()->check(CLI::Range(1u, queens::most));
        q.add_flag("--first", first_, "look for one way, do not count all");
    }

    ranks& all_;
    CLI::App app_;
    settings settings_;
    std::map<std::string, program> programs_;
    std::string tree_name_, file_;
    uts tree_;
    int kind_ = 1, shape_ = 0;
    unsigned genus_ = 0, size_ = 0;
    std::optional<std::int64_t> target_;
    bool first_ = false;
};

}  // namespace

int main(int argc, char** argv) {
    return bough::search::on_ranks(argc, argv,
                                   [&](ranks& all) { return command_line(all).main(argc, argv); });
}
