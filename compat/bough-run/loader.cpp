// Runs the loader in trace mode and reads its two streams; see loader.h.

#include "loader.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "failure.h"
#include "tools/child.h"

namespace bough::run {
namespace {

std::vector<std::string> environment_with(const std::string& preload) {
    std::vector<std::string> result = tools::own_environment();
    std::erase_if(result, [](const std::string& entry) {
        return entry.starts_with("LD_") && !entry.starts_with("LD_LIBRARY_PATH=");
    });
    result.push_back("LD_PRELOAD=" + preload);
    // Unlike --list this goes on when a library is missing; and, as ldd -r, binds every symbol.
    for (const char* entry : {"LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=1", "LD_BIND_NOW=1"})
        result.emplace_back(entry);
    return result;
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::replace(line.begin(), line.end(), '\t', ' ');
        if (const auto begin = line.find_first_not_of(' '); begin != std::string::npos)
            result.push_back(line.substr(begin));
    }
    return result;
}

// `NAME => FILE (0x...)`, `NAME => not found`, `FILE (0x...)`.
std::string file_of(const std::string& line) {
    const auto address = line.rfind(" (0x");
    const auto arrow = line.find(" => ");
    if (address == std::string::npos)
        return line.substr(0, arrow);
    return line.substr(0, address).substr(arrow == std::string::npos ? 0 : arrow + 4);
}

}  // namespace

mapping list_mapped(const std::string& loader, const std::string& image, const std::string& preload) {
    std::string out_text;
    std::string err_text;
    try {
        // As for the kernel, a loader's name without a slash is one of this folder.
        tools::run({{std::filesystem::absolute(loader), image}, environment_with(preload), true},
                   [&](tools::stream from, std::string_view piece) {
                       (from == tools::stream::output ? out_text : err_text).append(piece);
                   });
    } catch (const tools::not_started& refused) {
        if (refused.lacks() == tools::not_started::lack::pipe)
            throw failure(status_own_failure, refused.what());
        throw failure(status_cannot_run, "the loader " + loader + " " + refused.what());
    }
    mapping result;
    result.complaints = lines_of(err_text);
    // Symbols that cannot be bound are told among the libraries.
    for (const auto& line : lines_of(out_text)) {
        if (line.starts_with("undefined symbol") || line.starts_with("symbol "))
            result.complaints.push_back(line);
        else
            result.files.push_back(file_of(line));
    }
    return result;
}

}  // namespace bough::run
