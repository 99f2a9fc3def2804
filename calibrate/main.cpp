// bough-calibrate: measures this machine and writes the profile that the runtime loads. What and how: README.md.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "calibration.h"
#include "judge.h"
#include "machine/limits.h"
#include "others.h"
#include "output_file.h"

namespace bough::calibrate {
namespace {

constexpr int kept_status = 3;  // the run was noisy: the file stays as it was
constexpr std::size_t full_calls = 100'000;
constexpr std::size_t quick_calls = 5000;

struct options {
    bool quick = false;
    bool json = false;
    bool force = false;
    bool verbose = false;
    unsigned threads = 0;   // 0: all usable CPUs
    std::size_t calls = 0;  // 0: as quick or full says
    std::string output;
    std::string plot;
    std::vector<double> served;  // --measure-distribution: first team, last team, calls, seconds per team
};

void declare(CLI::App& app, options& o) {
    app.add_flag("--quick", o.quick,
                 "5000 calls per team size instead of 10^5: seconds, but a rougher 99th percentile");
    app.add_option("--threads", o.threads, "largest team to measure, 2 to 4096 (default: the usable CPUs)")
        ->check(CLI::Range(2, 4096));
    app.add_option("--calls", o.calls, "calls of parallel_for per team size")
        ->check(CLI::Range(100, 10'000'000));
    app.add_option("--output", o.output, "the profile's file (default: where the runtime looks)");
    app.add_flag("--json", o.json,
                 "results and profile as JSON on standard output; the report goes to standard error");
    app.add_flag("--force", o.force,
                 "write the profile even if the run is too noisy to be trusted; the profile says so");
    app.add_flag("--verbose", o.verbose, "histograms as well");
    app.add_option("--plot", o.plot,
                   "draw the distribution times to this PNG file (needs python3 and matplotlib)");
    app.add_option("--measure-distribution", o.served)->expected(4)->group("");
    app.footer(
        "The machine should be quiet. Exit status: 0; 1 when something that was asked for could not be done; "
        "2 when "
        "an option was not understood; 3 when the run was too noisy, so that the file stays as it was.");
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text;
}

std::string how(const options& o, const calibration_plan& plan, const results& r) {
    return std::string(o.quick ? "quick" : "full") + ": " + std::to_string(plan.calls) +
           " calls per team size, teams of 2 to " + std::to_string(std::max(2U, plan.largest_team)) +
           ", clock " +
           (r.clock.source == machine::clock_source::steady ? "steady_clock (" + r.clock.note + ")"
                                                            : "TSC or cntvct");
}

calibration_plan plan_for(const options& o, std::FILE* out) {
    const unsigned cpus = machine::usable_cpus();
    const unsigned wanted = o.threads == 0 ? cpus : o.threads;
    if (wanted > cpus)
        std::fprintf(out,
                     "%u threads are more than the %u usable CPUs: larger teams would measure the kernel's "
                     "time slices; "
                     "they use the largest measured value.\n",
                     wanted, cpus);
    if (cpus == 1)
        std::fputs("One usable CPU: there is nothing to distribute, hand over or steal. The profile gets the "
                   "defaults "
                   "and what can be measured.\n",
                   out);
    const std::size_t calls = o.calls != 0 ? o.calls : o.quick ? quick_calls : full_calls;
    return {cpus, std::min(wanted, cpus), calls, o.quick};
}

// What the file held before, when it can be read and is of this machine.
std::optional<profile_file> earlier(const std::string& path) {
    std::ifstream file(path);
    if (!file)
        return std::nullopt;
    std::ostringstream text;
    text << file.rdbuf();
    try {
        profile_file old = parse_profile(text.str());
        return old.cpu == machine_identity() ? std::optional(old) : std::nullopt;
    } catch (const std::runtime_error&) {
        return std::nullopt;
    }
}

void print_agreement(const std::optional<profile_file>& before, const profile& now, std::FILE* out) {
    if (!before)
        return;
    const std::vector<std::string> lines = disagreements(before->values, now);
    if (lines.empty()) {
        std::fprintf(out, "\nAgrees within 20 %% with the calibration of %s.\n", before->date.c_str());
        return;
    }
    std::fprintf(out, "\nDisagrees by more than 20 %% with the calibration of %s (%s):\n",
                 before->date.c_str(), before->how.c_str());
    for (const std::string& line : lines)
        std::fprintf(out, "  %s\n", line.c_str());
    std::fputs(
        "Was the machine busy, or its cores moved by a hypervisor? Calibrate again when it is quiet.\n", out);
}

// The first line: what became of the run, and why.
void print_verdict(const options& o, const std::string& path, const std::vector<std::string>& why,
                   std::FILE* out) {
    if (why.empty()) {
        std::fprintf(out, "Written to %s: the run is to be trusted, its parts agree.\n", path.c_str());
        return;
    }
    const std::string more =
        why.size() == 1 ? "" : print(" and %zu more reason(s), see --verbose", why.size() - 1);
    if (o.force)
        std::fprintf(out, "Written to %s by --force, though the run is too noisy to be trusted: %s%s.\n",
                     path.c_str(), why[0].c_str(), more.c_str());
    else
        std::fprintf(out, "%s: this run is too noisy: %s%s. --force takes it all the same.\n",
                     std::filesystem::exists(path) ? (path + " stays as it was").c_str()
                                                   : (path + " is not written").c_str(),
                     why[0].c_str(), more.c_str());
    if (o.verbose)
        for (const std::string& reason : why)
            std::fprintf(out, "  %s\n", reason.c_str());
}

void print_choice(const options& o, const results& r, const choice& c, std::FILE* out) {
    std::fprintf(out, "\n%s\n", values_text(c.values, default_profile(r.cpus)).c_str());
    std::fprintf(out, "%s\n", report(r, o.verbose).c_str());
    std::fputs("Why these values:\n", out);
    for (const std::string& reason : c.reasons)
        std::fprintf(out, "  %s\n", reason.c_str());
}

int run(const options& o) {
    std::FILE* out = o.json ? stderr : stdout;
    const std::string path = o.output.empty() ? default_profile_path() : o.output;
    if (path.empty())
        throw std::runtime_error("neither HOME nor BOUGH_PROFILE is set: say --output FILE");
    check_writable(path);
    if (!o.plot.empty())
        check_writable(o.plot);
    const calibration_plan plan = plan_for(o, out);
    const std::optional<profile_file> before = earlier(path);
    const others busy;
    results r;
    {
        progress bar;
        r = calibrate(plan, bar);
    }
    const std::vector<std::string> why = doubts(r, busy.since_start());
    choice c = choose(r);
    c.values.trusted = why.empty() ? trust::yes : trust::no;
    const profile_file file{c.values, machine_identity(), today(), how(o, plan, r)};
    const std::string text = to_json(file);
    parse_profile(text);  // what the runtime would refuse is not written
    const bool takes = why.empty() || o.force;
    print_verdict(o, path, why, out);
    if (takes)
        write_whole(path, text);
    print_choice(o, r, c, out);
    print_agreement(before, c.values, out);
    if (o.json)
        std::fputs(results_json(r, file).c_str(), stdout);
    if (!o.plot.empty()) {
        plot(results_json(r, file), o.plot);
        std::fprintf(out, "Plotted to %s\n", o.plot.c_str());
    }
    if (!r.tree.problem.empty() || !r.stealing.problem.empty())
        return 1;
    return takes ? 0 : kept_status;
}

int serve(const options& o) {
    serve_distribution({static_cast<unsigned>(o.served[0]), static_cast<unsigned>(o.served[1]),
                        static_cast<std::size_t>(o.served[2]), o.served[3]});
    return 0;
}

}  // namespace
}  // namespace bough::calibrate

int main(int argc, char** argv) {
    CLI::App app("Measures this machine and writes the profile that bough is tuned by.", "bough-calibrate");
    bough::calibrate::options o;
    bough::calibrate::declare(app, o);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    try {
        return o.served.empty() ? bough::calibrate::run(o) : bough::calibrate::serve(o);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bough-calibrate: %s\n", e.what());
        return 1;
    }
}
