// bough-run PROGRAM ARGS...: starts an unmodified program with bough's libtbb.so.12 in the place of oneTBB's, or says
// in one line why it cannot. The library is preloaded by its absolute path: a library that is already there under the
// name libtbb.so.12 is taken before any run path or search path is looked at. See compat/DROPIN.md.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "failure.h"
#include "loader.h"
#include "machine/one_line.h"
#include "program.h"

namespace bough::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* help_text =
    "usage: bough-run [--force] [--variant NAME] PROGRAM [ARGUMENT...]\n"
    "\n"
    "Starts PROGRAM, as it is, with bough's libtbb.so.12 in the place of oneTBB's. PROGRAM is linked with\n"
    "libtbb.so.12, or loads it later: scripts and interpreters (python3 ...) are believed to.\n"
    "\n"
    "  --force    start it even though nothing in it names libtbb.so.12 (a plugin may)\n"
    "  --variant NAME  on a libbough.so with another local queue, for comparisons; also for programs that "
    "are linked\n"
    "             with libbough.so.0. NAME: chase-lev (bough's own), mutex, abp, split, split-signal,\n"
    "             split-signal-conservative, split-signal-half; with -counted behind these BOUGH_STATS=1 "
    "counts fences\n"
    "             too; or channels, whose thieves ask by message. On split and channels a body must not\n"
    "             block until another thread runs what it has spawned\n"
    "  --help     this text\n"
    "  --version  the version of bough, and the library that programs get\n"
    "\n"
    "exit status: the program's; 127: it does not exist; 126: it cannot be run so, the reason is on stderr;\n"
    "125: bough-run itself was called wrongly or lacks its library\n";

fs::path folder_of_this_program() {
    return fs::read_symlink("/proc/self/exe").parent_path();
}

// The first of the places, seen from this program, where there is a file, for LD_PRELOAD; empty: none.
std::string first_library(std::initializer_list<fs::path> places) {
    for (const fs::path& place : places) {
        const fs::path candidate = (folder_of_this_program() / place).lexically_normal();
        if (!fs::exists(candidate))
            continue;
        if (candidate.string().find_first_of(" :") != std::string::npos)
            throw failure(status_own_failure,
                          candidate.string() + ": LD_PRELOAD cannot name a path with a space or a colon");
        return candidate;
    }
    return "";
}

// libtbb.so.12: installed, or in the build tree.
std::string library() {
    const std::string found = first_library({BOUGH_RUN_INSTALLED, BOUGH_RUN_BUILT});
    if (found.empty())
        throw failure(status_own_failure, "no libtbb.so.12 in its place, " +
                                              (folder_of_this_program() / BOUGH_RUN_INSTALLED).string());
    return found;
}

// What our figures call by such a name, and is the same library under settings; empty: nothing. docs/settings.md.
std::string_view settings_of_form(std::string_view name) {
    struct form {
        std::string_view name, settings;
    };
    static constexpr std::array<form, 5> forms{
        {{"classic", "BOUGH_DISTRIBUTE=steal BOUGH_GATE=off BOUGH_MAIL=off"},
         {"thieves", "BOUGH_DISTRIBUTE=steal BOUGH_GATE=off BOUGH_MAIL=off BOUGH_THIEVES=all"},
         {"letters", "BOUGH_MAIL=letters"},
         {"always", "BOUGH_MAIL=always"},
         {"off", "BOUGH_MAIL=off"}}};
    for (const form& f : forms)
        if (f.name == name)
            return f.settings;
    return "";
}

// libbough.so.0 of the variant, likewise; empty for the library itself, which every libtbb.so.12 finds.
std::string library_of_variant(const std::string& name) {
    constexpr std::string_view own = "chase-lev";
    std::istringstream known(BOUGH_RUN_VARIANTS);
    const std::vector<std::string> names{std::istream_iterator<std::string>(known), {}};
    if (name == own)
        return "";
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        if (const std::string_view settings = settings_of_form(name); !settings.empty())
            throw failure(status_own_failure, "--variant " + name + ": no variant, but settings: " +
                                                  std::string(settings) + " bough-run PROGRAM");
        throw failure(status_own_failure,
                      "--variant " + name + ": allowed are " + std::string(own) + " " + BOUGH_RUN_VARIANTS);
    }
    constexpr const char* soname = "libbough.so.0";
    std::string found = first_library({fs::path(BOUGH_RUN_VARIANTS_INSTALLED) / name / soname,
                                       fs::path(BOUGH_RUN_VARIANTS_BUILT) / name / soname});
    if (found.empty())
        throw failure(status_own_failure, "--variant " + name +
                                              ": that library is not here; ./dev install --prefix DIR "
                                              "--variants builds and installs all of them");
    return found;
}

bool has_name(const mapping& mapped, std::string_view name) {
    return std::any_of(mapped.files.begin(), mapped.files.end(), [&](const std::string& file) {
        return fs::path(file).filename().string().starts_with(name);
    });
}

// Programs that load whatever their script asks for.
bool is_interpreter(const std::string& image) {
    static constexpr std::array<std::string_view, 17> names{
        "python", "pypy", "perl", "ruby", "node", "java", "julia", "Rscript", "R",
        "octave", "lua",  "bash", "dash", "sh",   "zsh",  "ksh",   "env"};
    const std::string name = fs::path(image).filename();
    return std::any_of(names.begin(), names.end(), [&](std::string_view n) {
        return name.starts_with(n) && name.find_first_not_of("0123456789.-", n.size()) == std::string::npos;
    });
}

std::string first_of(const std::vector<std::string>& lines) {
    return lines.empty() ? "no reason given; it may be damaged" : lines.front();
}

// `on_variant`: a program of bough's own will do.
void check_uses_onetbb(const program& p, const mapping& plain, bool force, bool on_variant) {
    if (plain.files.empty())
        throw failure(status_cannot_run,
                      p.image + ": its loader cannot list what it needs: " + first_of(plain.complaints));
    if (has_name(plain, "libtbb.so.12") || (on_variant && has_name(plain, "libbough.so.0")))
        return;
    if (has_name(plain, "libtbb.so.2"))
        throw failure(status_cannot_run,
                      p.image + ": is linked with libtbb.so.2, the TBB before oneTBB, which has other entry "
                                "points; rebuild it with oneTBB 2021 or newer");
    if (has_name(plain, "libtbb_debug.so"))
        throw failure(
            status_cannot_run,
            p.image +
                ": is linked with libtbb_debug.so.12; bough takes the place of the release library only");
    if (!force && !p.by_script && !is_interpreter(p.image))
        throw failure(status_cannot_run,
                      p.image + ": does not use oneTBB: neither it nor a library that it needs names "
                                "libtbb.so.12 (if it loads it later: bough-run --force)");
}

// With the library preloaded: is it there, alone, and does everything still find what it needs? A program that brings
// its own libstdc++ or hwloc may bring one that bough's library cannot use, or get the one that this brings.
void check_preloaded(const program& p, const mapping& plain, const mapping& with, const std::string& ours) {
    bool present = false;
    for (const auto& file : with.files) {
        std::error_code error;
        if (fs::equivalent(file, ours, error))
            present = true;
        else if (fs::path(file).filename().string().starts_with("libtbb.so.12"))
            throw failure(status_cannot_run,
                          p.image + ": names " + file +
                              " by its path; bough's library would be a second one beside it");
    }
    std::vector<std::string> news;
    std::copy_if(with.complaints.begin(), with.complaints.end(), std::back_inserter(news),
                 [&](const std::string& line) {
                     return std::find(plain.complaints.begin(), plain.complaints.end(), line) ==
                            plain.complaints.end();
                 });
    if (!present || !news.empty())
        throw failure(status_cannot_run, p.image + ": does not load with " + ours + ": " + first_of(news));
}

std::string other_preloads() {
    const char* value = std::getenv("LD_PRELOAD");
    return value ? value : "";
}

std::string joined(const std::string& first, const std::string& rest) {
    return first.empty() ? rest : rest.empty() ? first : first + ":" + rest;
}

int run(char** arguments, bool force, const std::string& variant) {
    // A library of that name is already there then, for libtbb.so.12 and for a program of bough's own. It goes first:
    // who forgets NAME has given the program as NAME, and the program's argument as the program.
    const std::string of_variant = library_of_variant(variant);
    const program p = find_program(arguments[0]);
    const std::string ours = library();
    const std::string preload = joined(of_variant, joined(ours, other_preloads()));
    const mapping plain = list_mapped(p.loader, p.image, other_preloads());
    check_uses_onetbb(p, plain, force, !of_variant.empty());
    check_preloaded(p, plain, list_mapped(p.loader, p.image, preload), ours);
    ::setenv("LD_PRELOAD", preload.c_str(), 1);
    ::execv(p.path.c_str(), arguments);
    throw failure(errno == ENOENT ? status_not_found : status_cannot_run,
                  p.path + ": " + std::strerror(errno));
}

int start(char** arguments) {
    bool force = false;
    std::string variant = "chase-lev";
    for (++arguments; *arguments && (*arguments)[0] == '-'; ++arguments) {
        const std::string_view option = *arguments;
        if (option == "--help" || option == "-h") {
            std::fputs(help_text, stdout);
            return 0;
        }
        if (option == "--version") {
            std::printf("bough-run %s, %s\n", BOUGH_RUN_VERSION, library().c_str());
            return 0;
        }
        if (option == "--") {
            ++arguments;
            break;
        }
        constexpr std::string_view variant_is = "--variant=";
        if (option == "--variant" && arguments[1]) {
            variant = *++arguments;
            continue;
        }
        if (option.starts_with(variant_is)) {
            variant = option.substr(variant_is.size());
            continue;
        }
        if (option == "--variant")
            throw failure(status_own_failure, "--variant wants a name; bough-run --help names them");
        if (option != "--force")
            throw failure(status_own_failure,
                          std::string(option) + ": unknown option; bough-run --help names them");
        force = true;
    }
    if (!*arguments)
        throw failure(status_own_failure, "no program named; bough-run --help shows how");
    return run(arguments, force, variant);
}

}  // namespace
}  // namespace bough::run

int main(int, char** arguments) {
    int status = bough::run::status_own_failure;
    std::string what;
    try {
        return bough::run::start(arguments);
    } catch (const bough::run::failure& f) {
        status = f.status;
        what = f.what;
    } catch (const std::exception& e) {
        what = e.what();
    }
    std::fprintf(stderr, "bough-run: %s\n", bough::one_line(what, 4096).c_str());
    return status;
}
