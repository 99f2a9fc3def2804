#include "word_count/text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace bench {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& path) {
    if (!fs::is_directory(path))
        return {path};
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
        if (!entry.is_symlink() && entry.is_regular_file())
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::string read_file(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file || fs::is_directory(path))
        throw text_error(path.string() + ": cannot be read");
    return text;
}

// Of ASCII, whatever the locale.
char small(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string read_text(const std::string& path) try {
    std::string text;
    for (const fs::path& file : files_of(path))
        text += read_file(file);
    std::transform(text.begin(), text.end(), text.begin(), small);
    if (std::none_of(text.begin(), text.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
        throw text_error(path + ": no words in it");
    return text;
} catch (const fs::filesystem_error& error) {
    throw text_error(path + ": " + error.code().message());
}

std::string text_name(const std::string& path) {
    const std::string name = fs::path(path).lexically_normal().stem().string();
    return name.empty() ? "text" : name;
}

}  // namespace bench
