// bough info: what a program that runs on bough finds here, and why. See README.md.

#include <CLI/CLI.hpp>
#include <cstdio>

#include "bough/version.h"
#include "facts.h"
#include "machine/one_line.h"

namespace {

int complain(const char* what, int status) {
    std::fprintf(stderr, "bough: %s\n", bough::one_line(what, 400).c_str());
    return status;
}

// What CLI11 says without the word that it did not understand.
std::string no_command(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (argv[i][0] != '-')
            return std::string("unknown command '") + argv[i] + "'; allowed: info; --help tells more";
    return "no command is given; allowed: info; --help tells more";
}

int print(bool as_json) {
    const bough::info::facts f = bough::info::gather();
    const std::string text = as_json ? json_of(f) : text_of(f);
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0)
        return complain("the report cannot be written", 1);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Tells about bough on this machine.", "bough");
    bool as_json = false;
    app.set_version_flag("--version", std::string("bough ") + bough::version());
    CLI::App* const info =
        app.add_subcommand("info", "which library, machine, limits, profile and settings hold");
    info->add_flag("--json", as_json, "the same as JSON");
    app.require_subcommand(1);
    app.footer(
        "Exit status: 0; 1 when the report could not be made; 2 when the arguments were not understood.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::RequiredError&) {
        return complain(no_command(argc, argv).c_str(), 2);
    } catch (const CLI::ParseError& e) {
        return e.get_exit_code() == 0 ? app.exit(e) : complain(e.what(), 2);
    }
    try {
        return print(as_json);
    } catch (const std::exception& e) {
        return complain(e.what(), 1);
    }
}
