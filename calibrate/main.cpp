// bough-calibrate: measures this machine and writes the profile that the runtime loads. What and how: README.md.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "calibration.h"
#include "judge.h"
#include "machine/limits.h"
#include "options.h"
#include "others.h"
#include "output_file.h"

namespace bough::calibrate {
namespace {

constexpr int kept_status = 3;  // the run was noisy: the file stays as it was
constexpr std::size_t full_calls = 100'000;
constexpr std::size_t quick_calls = 5000;

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
        std::fprintf(out, "Agrees within 20 %% with the calibration of %s.\n", before->date.c_str());
        return;
    }
    std::fprintf(out, "Disagrees by more than 20 %% with the calibration of %s (%s):\n", before->date.c_str(),
                 before->how.c_str());
    for (const std::string& line : lines)
        std::fprintf(out, "  %s\n", line.c_str());
    std::fprintf(out, "%s\n", why_they_differ(before->values, now).c_str());
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

void print_values(const outcome& found, const profile& otherwise, std::FILE* out) {
    std::fprintf(out, "\n%s\n", values_text(found.chosen.values, otherwise).c_str());
    if (!found.cases.empty())
        std::fprintf(out, "What the new profile changes, measured in turns with the defaults:\n%s\n",
                     cases_text(found.cases).c_str());
}

void print_details(const options& o, const results& r, const choice& c, std::FILE* out) {
    std::fprintf(out, "%s\n", report(r, o.verbose).c_str());
    std::fputs("Why these values:\n", out);
    for (const std::string& reason : c.reasons)
        std::fprintf(out, "  %s\n", reason.c_str());
}

// A run that is not to be kept anyhow is not compared: that would cost its time for nothing.
std::vector<compared_case> compare(const options& o, const calibration_plan& plan, const profile& values,
                                   const std::vector<std::string>& why, progress& bar) {
    if (plan.largest_team < 2 || (!why.empty() && !o.force))
        return {};
    bar.begin("small cases, default and new in turns", 0.1);
    // Nine pairs are the fewest whose interval leaves out one of each end (agreement.cpp).
    const unsigned pairs = o.quick ? 9 : 21;
    return compare_cases(run_cases({plan.largest_team, pairs, default_profile(plan.cpus), values},
                                   [&](double done) { bar.part(done); }));
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
    progress bar;
    const others busy;
    const results r = calibrate(plan, bar);
    choice c = choose(r);
    outcome found{
        {c.values, machine_identity(), today(), how(o, plan, r)}, {}, doubts(r, busy.since_start()), false};
    found.cases = compare(o, plan, c.values, found.doubts, bar);
    bar.finish();
    for (const std::string& harm : harms(found.cases))
        found.doubts.push_back(harm);
    found.chosen.values.trusted = found.doubts.empty() ? trust::yes : trust::no;
    found.written = found.doubts.empty() || o.force;
    const std::string text = to_json(found.chosen);
    parse_profile(text);  // what the runtime would refuse is not written
    print_verdict(o, path, found.doubts, out);
    if (found.written)
        write_whole(path, text);
    print_values(found, default_profile(r.cpus), out);
    print_agreement(before, c.values, out);
    print_details(o, r, c, out);
    const std::string for_programs = o.json || !o.plot.empty() ? results_json(r, found) : "";
    if (o.json)
        std::fputs(for_programs.c_str(), stdout);
    if (!o.plot.empty()) {
        plot(for_programs, o.plot);
        std::fprintf(out, "Plotted to %s\n", o.plot.c_str());
    }
    if (!r.tree.problem.empty() || !r.stealing.problem.empty())
        return 1;
    return found.written ? 0 : kept_status;
}

int serve(const options& o) {
    if (o.served_cases != 0) {
        serve_cases(o.served_cases);
        return 0;
    }
    serve_distribution({static_cast<unsigned>(o.served[0]), static_cast<unsigned>(o.served[1]),
                        static_cast<std::size_t>(o.served[2]), o.served[3]});
    return 0;
}

}  // namespace
}  // namespace bough::calibrate

int main(int argc, char** argv) {
    bough::calibrate::options o;
    const bough::calibrate::refusal said = bough::calibrate::read_options(argc, argv, o);
    if (!said.text.empty()) {
        std::fputs(said.text.c_str(), said.status == 0 ? stdout : stderr);
        return said.status;
    }
    try {
        return o.served.empty() && o.served_cases == 0 ? bough::calibrate::run(o)
                                                       : bough::calibrate::serve(o);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "bough-calibrate: %s\n", e.what());
        return 1;
    }
}
