#include "settle.h"

#include <filesystem>

#include "output_file.h"

namespace bough::calibrate {
namespace {

std::string why_not(const outcome& found) {
    std::string text = "this run is not to be trusted: " + found.doubts[0];
    if (found.doubts.size() > 1)
        text += ", and " + std::to_string(found.doubts.size() - 1) + " more (--verbose)";
    return text;
}

}  // namespace

std::string settle(outcome& found, const std::string& path, bool force) {
    const bool is_trusted = found.doubts.empty();
    found.chosen.values.trusted = is_trusted ? trust::yes : trust::no;
    const std::string text = to_json(found.chosen);
    parse_profile(text);  // what the runtime would refuse is not written
    if (!is_trusted && !force) {
        std::error_code ignored;
        const bool is_there = std::filesystem::exists(path, ignored);
        return path + (is_there ? " stays as it was: " : " is not written: ") + why_not(found) +
               ". --force takes it all the same.";
    }
    write_whole(path, text);
    found.written = true;
    if (!is_trusted)
        return "Written to " + path + " by --force, though " + why_not(found) + ".";
    return "Written to " + path + ": trusted, the repeated parts agree within " +
           print("%.0f %%.", found.chosen.values.spread.largest().value_or(0) * 100);
}

int exit_status(const results& r, const outcome& found) {
    if (!r.tree.problem.empty() || !r.stealing.problem.empty())
        return 1;
    return found.written ? 0 : kept_status;
}

}  // namespace bough::calibrate
