#include "options.h"

#include <CLI/CLI.hpp>
#include <charconv>

namespace bough::calibrate {
namespace {

constexpr int misuse_status = 2;

CLI::Validator whole_number(unsigned least, unsigned most) {
    return {[=](const std::string& text) {
                unsigned x = 0;
                const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), x);
                if (error == std::errc() && stop == text.data() + text.size() && x >= least && x <= most)
                    return std::string();
                return "'" + text + "' is not allowed; allowed are whole numbers from " +
                       std::to_string(least) + " to " + std::to_string(most);
            },
            ""};
}

CLI::Validator not_empty() {
    return {[](const std::string& text) { return text.empty() ? "the name is empty" : std::string(); }, ""};
}

void declare_flags(CLI::App& app, options& o) {
    const std::pair<const char*, std::pair<bool*, const char*>> flags[] = {
        {"--quick",
         {&o.quick, "5000 calls per team size instead of 10^5: seconds, but a rougher 99th percentile"}},
        {"--json",
         {&o.json, "results and profile as JSON on standard output; the report goes to standard error"}},
        {"--force",
         {&o.force, "write the profile even if the run is too noisy to be trusted; the profile says so"}},
        {"--verbose", {&o.verbose, "histograms as well, and every reason for doubt"}}};
    for (const auto& [name, flag] : flags)
        app.add_flag(name, *flag.first, flag.second);
}

void declare(CLI::App& app, options& o) {
    declare_flags(app, o);
    app.add_option("--threads", o.threads, "largest team to measure, 2 to 4096 (default: the usable CPUs)")
        ->check(whole_number(2, 4096))
        ->type_name("N");
    app.add_option("--calls", o.calls, "calls of parallel_for per team size, 100 to 10^7")
        ->check(whole_number(100, 10'000'000))
        ->type_name("N");
    app.add_option("--output", o.output, "the profile's file (default: where the runtime looks)")
        ->check(not_empty())
        ->type_name("FILE");
    app.add_option("--plot", o.plot,
                   "draw the distribution times to this PNG file (needs python3 and matplotlib)")
        ->check(not_empty())
        ->type_name("FILE");
    app.add_option("--measure-distribution", o.served)->expected(4)->group("");
    app.add_option("--measure-cases", o.served_cases)->group("");
    app.footer(
        "The machine should be quiet. Exit status: 0; 1 when something that was asked for could not be done; "
        "2 when "
        "an option was not understood; 3 when the run was too noisy, so that the file stays as it was.");
}

// "--quick=3": CLI11 would take it, or refuse it in words that do not name the option. Empty if there is none.
std::string flag_with_value(int argc, const char* const* argv) {
    for (int i = 1; i < argc; ++i)
        for (const std::string flag : {"--quick", "--json", "--force", "--verbose"})
            if (std::string(argv[i]).starts_with(flag + "="))
                return flag;
    return "";
}

// CLI11's own words may hold line breaks.
refusal misuse(const std::string& what) {
    std::string text = "bough-calibrate: " + what + "; --help lists the options";
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ')
            c = ' ';
    return {misuse_status, text + "\n"};
}

}  // namespace

refusal read_options(int argc, const char* const* argv, options& o) {
    CLI::App app("Measures this machine and writes the profile that bough is tuned by.", "bough-calibrate");
    declare(app, o);
    if (const std::string flag = flag_with_value(argc, argv); !flag.empty())
        return misuse(flag + ": takes no value");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return {0, app.help()};
    } catch (const CLI::ArgumentMismatch& e) {
        const std::string text = e.what();
        return misuse(text.substr(0, text.find(':')) + ": takes one value, once");
    } catch (const CLI::ParseError& e) {
        return misuse(e.what());
    }
    return {};
}

}  // namespace bough::calibrate
