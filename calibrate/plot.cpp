// Hands plot.py, which is part of this program, and the results to python3.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "child.h"
#include "output_file.h"
#include "plot_script.h"
#include "results.h"

namespace bough::calibrate {

namespace {

// The one in PATH may be a user's own without matplotlib, while the system's has it.
constexpr const char* interpreters[] = {"python3", "/usr/bin/python3"};
constexpr const char* matplotlib_missing = "ended with status 3";  // as plot.py says

// Empty when the plot was drawn.
std::string draw(const std::string& data, const std::string& png) {
    std::string problem;
    for (const char* python : interpreters) {
        problem = run_child({{python, "-c", plot_script, data, png}, {}, std::chrono::seconds(120)},
                            [](const std::string&) {});
        const bool unavailable = problem == matplotlib_missing || problem.starts_with("cannot be started");
        if (!unavailable)
            break;
    }
    return problem;
}

}  // namespace

void plot(const std::string& json, const std::string& png) {
    make_folder_of(png);
    std::string folder = (std::filesystem::temp_directory_path() / "bough-plot-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
        throw std::runtime_error("no temporary folder can be made");
    const std::string data = folder + "/results.json";
    std::string problem;
    try {
        write_whole(data, json);
        problem = draw(data, png);
    } catch (const std::exception& e) {
        problem = e.what();
    }
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (problem == matplotlib_missing)
        problem = "has no matplotlib (Debian: python3-matplotlib)";
    if (!problem.empty())
        throw std::runtime_error("no plot: python3 " + problem);
}

}  // namespace bough::calibrate
