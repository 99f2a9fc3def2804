#include "library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "tools/child.h"

namespace bough::info {
namespace {

namespace fs = std::filesystem;

constexpr const char* name = "libtbb.so.12";

// ---- in the child: lines of what the loader found

std::string line_of(const char* text) {
    return text == nullptr ? "\n" : std::string(text) + "\n";
}

const char* called(void* library, const char* function) {
    void* const address = ::dlsym(library, function);
    return address == nullptr ? nullptr : reinterpret_cast<const char* (*)()>(address)();
}

std::string loaded(const char* file) {
    void* const library = ::dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr)
        return "\n\n\n" + line_of(::dlerror());
    const link_map* map = nullptr;
    if (::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
        map = nullptr;
    return line_of(map == nullptr ? file : map->l_name) + line_of(called(library, "TBB_runtime_version")) +
           line_of(called(library, "_ZN5bough7versionEv")) + "\n";
}

// What the library says when it is loaded is no part of the answer.
int answer(const char* file, int to) {
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
    const std::string text = loaded(file);
    const ssize_t written = ::write(to, text.data(), text.size());
    return written == static_cast<ssize_t>(text.size()) ? 0 : 1;
}

// ---- in the parent

std::string resolved(const std::string& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real.string();
}

library parsed(const std::string& text) {
    library result;
    std::istringstream lines(text);
    for (std::string* const part : {&result.path, &result.onetbb, &result.bough, &result.problem})
        std::getline(lines, *part);
    if (!result.path.empty())
        result.path = resolved(result.path);
    else if (result.problem.empty())
        result.problem = "the process that loaded it has died";
    return result;
}

// In a process of its own: a library that is loaded runs code, and stays.
library ask_loader(const std::string& file) {
    std::string text;
    tools::run_in_copy([&](int to) { return answer(file.c_str(), to); },
                       [&](tools::stream, std::string_view piece) { text.append(piece); });
    return parsed(text);
}

// Where bough's library lies, seen from this program: installed, or in the build tree. Empty: in neither.
std::string own_library() {
    const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
    for (const char* place : {BOUGH_TBB_INSTALLED, BOUGH_TBB_BUILT})
        if (const fs::path candidate = (here / place).lexically_normal(); fs::exists(candidate))
            return candidate.string();
    return "";
}

// The loader looks into these before it looks at a program's DT_RUNPATH. A folder's hwcaps subfolders are below it.
bool is_named_by(const char* variable, const char* separators, const std::string& file) {
    const char* const value = std::getenv(variable);
    std::string text = value == nullptr ? "" : value;
    for (char& c : text)
        if (std::strchr(separators, c) != nullptr)
            c = '\n';
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part);) {
        const std::string real = resolved(part.empty() ? "." : part);
        const auto [end, ignored] = std::mismatch(real.begin(), real.end(), file.begin(), file.end());
        if (real == file || (end == real.end() && file[real.size()] == '/') ||
            fs::path(part).filename() == name)
            return true;
    }
    return false;
}

}  // namespace

libraries find_libraries() {
    libraries result;
    result.plain = ask_loader(name);
    const std::string& plain = result.plain.path;
    result.environment_decides = !plain.empty() && (is_named_by("LD_PRELOAD", ": ", plain) ||
                                                    is_named_by("LD_LIBRARY_PATH", ":;", plain));
    if (result.environment_decides)
        result.compat = result.plain;
    else if (const std::string own = own_library(); !own.empty())
        result.compat = ask_loader(own);
    else
        result.compat.problem = "bough's libtbb.so.12 is not installed beside this program";
    return result;
}

}  // namespace bough::info
