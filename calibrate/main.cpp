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
#include "profile/settings.h"
#include "settle.h"

namespace bough::calibrate {
namespace {

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

void print_values(const options& o, const outcome& found, const profile& otherwise, const std::string& path,
                  std::FILE* out) {
    for (const std::string& doubt : found.doubts)
        if (o.verbose)
            std::fprintf(out, "  %s\n", doubt.c_str());
    std::fprintf(out, "\n%s\n", values_text(found.chosen.values, otherwise).c_str());
    if (!found.cases.empty())
        std::fprintf(out, "What the new profile changes, measured in turns with the defaults:\n%s%s\n",
                     cases_text(found.cases).c_str(), advice_text(found, path).c_str());
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
    process_settings();  // says what is wrong in the environment; the measuring processes do not get it
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
    const choice c = choose(r);
    outcome found{
        {c.values, machine_identity(), today(), how(o, plan, r)}, {}, doubts(r, busy.since_start()), false};
    if (before && !o.force)
        for (const std::string& loss : losses(before->values, c.values))
            found.doubts.push_back(loss);
    found.cases = compare(o, plan, c.values, found.doubts, bar);
    bar.finish();
    for (const std::string& harm : harms(found.cases))
        found.doubts.push_back(harm);
    std::fprintf(out, "%s\n", settle(found, path, o.force).c_str());
    print_values(o, found, default_profile(r.cpus), path, out);
    print_agreement(before, found.chosen.values, out);
    print_details(o, r, c, out);
    const std::string for_programs = o.json || !o.plot.empty() ? results_json(r, found) : "";
    if (o.json)
        std::fputs(for_programs.c_str(), stdout);
    if (!o.plot.empty()) {
        plot(for_programs, o.plot);
        std::fprintf(out, "Plotted to %s\n", o.plot.c_str());
    }
    return exit_status(r, found);
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
