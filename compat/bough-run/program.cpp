// Looks at files only; see program.h. Where a rule is the kernel's or the loader's, it is named.

#include "program.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "failure.h"

namespace bough::run {
namespace {

using elf_header = ElfW(Ehdr);
using segment_header = ElfW(Phdr);

#if defined(__x86_64__)
constexpr auto this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr auto this_machine = EM_AARCH64;
#endif

bool is_file(const std::string& path) {
    struct stat status{};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// As execvp: a name with a slash is a path; of the candidates in PATH the first executable one counts.
std::string look_up(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return name;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/bin:/usr/bin");
    std::string seen;
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
        if (!is_file(candidate))
            continue;
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
        if (seen.empty())
            seen = candidate;
    }
    if (seen.empty())
        throw failure(status_not_found, (name.empty() ? "an empty name" : name) + ": not found in PATH");
    return seen;
}

void check_executable(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) {
        const bool absent = errno == ENOENT || errno == ENOTDIR;
        throw failure(absent ? status_not_found : status_cannot_run, path + ": " + std::strerror(errno));
    }
    if (S_ISDIR(status.st_mode))
        throw failure(status_cannot_run, path + ": is a folder");
    if (!S_ISREG(status.st_mode) || ::access(path.c_str(), X_OK) != 0)
        throw failure(status_cannot_run, path + ": is not executable");
}

// A program that gains rights by its file is started in secure mode, in which the loader drops a preloaded path.
void check_rights(const std::string& path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0)
        return;
    const bool user = (status.st_mode & S_ISUID) != 0 && status.st_uid != ::getuid();
    const bool group = (status.st_mode & S_ISGID) != 0 && status.st_gid != ::getgid();
    const bool capable = ::getuid() != 0 && ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
    if (user || group || capable)
        throw failure(status_cannot_run,
                      path + ": is " +
                          (user    ? "setuid"
                           : group ? "setgid"
                                   : "given capabilities") +
                          "; for such programs the loader takes no library from bough-run");
}

// Throws where the image is no program of this machine that a loader starts.
std::string read_loader(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    elf_header header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
        throw failure(status_cannot_run, path + ": is neither a program nor a script with a #! line");
    const bool word_size = header.e_ident[EI_CLASS] == (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32);
    if (!word_size || header.e_machine != this_machine)
        throw failure(status_cannot_run, path + ": is built for another machine than libtbb.so.12 of bough");
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        segment_header segment{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff + std::size_t{i} * header.e_phentsize));
        if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment))
            throw failure(status_cannot_run, path + ": is damaged: its headers lie outside the file");
        if (segment.p_type != PT_INTERP)
            continue;
        if (segment.p_filesz == 0 || segment.p_filesz > 4096)
            throw failure(status_cannot_run, path + ": is damaged: the name of its loader cannot be read");
        std::string loader(segment.p_filesz, '\0');
        file.seekg(static_cast<std::streamoff>(segment.p_offset));
        if (!file.read(loader.data(), static_cast<std::streamsize>(loader.size())))
            throw failure(status_cannot_run, path + ": is damaged: the name of its loader cannot be read");
        return loader.c_str();
    }
    throw failure(status_cannot_run,
                  path + ": is statically linked; no library can take oneTBB's place in it");
}

std::string glibc_loader(const std::string& image) {
    check_rights(image);
    const std::string loader = read_loader(image);
    if (!std::filesystem::path(loader).filename().string().starts_with("ld-linux"))
        throw failure(status_cannot_run, image + ": is started by " + loader +
                                             ", not by glibc's loader; libtbb.so.12 needs that");
    return loader;
}

// The words of a #! line, or none.
std::vector<std::string> script_line(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    char mark[2]{};
    std::string line;
    if (!file.read(mark, 2) || mark[0] != '#' || mark[1] != '!' || !std::getline(file, line))
        return {};
    std::istringstream text(line);
    std::vector<std::string> words;
    for (std::string word; text >> word;)
        words.push_back(word);
    if (words.empty())
        throw failure(status_cannot_run, path + ": its #! line names no interpreter");
    return words;
}

// `#!/usr/bin/env -S A=1 python3 -u`: the program that env will start.
std::string interpreter_of(const std::vector<std::string>& words) {
    if (std::filesystem::path(words[0]).filename() != "env")
        return words[0];
    for (std::size_t i = 1; i < words.size(); ++i)
        if (words[i][0] != '-' && words[i].find('=') == std::string::npos)
            return look_up(words[i]);
    return words[0];
}

}  // namespace

program find_program(const std::string& name) {
    constexpr int most_scripts = 5;  // the kernel's limit
    program result{};
    result.path = result.image = look_up(name);
    check_executable(result.path);
    for (int depth = 0;; ++depth) {
        const auto words = script_line(result.image);
        if (words.empty())
            break;
        if (depth == most_scripts)
            throw failure(status_cannot_run,
                          result.path + ": its interpreter is a script of a script, too deep");
        const std::string script = result.image;
        try {
            result.image = interpreter_of(words);
            check_executable(result.image);
        } catch (const failure& f) {
            throw failure(f.status, script + ": its interpreter: " + f.what);
        }
        result.by_script = true;
    }
    try {
        result.loader = glibc_loader(result.image);
    } catch (const failure& f) {
        if (!result.by_script)
            throw;
        throw failure(f.status, result.path + ": its interpreter: " + f.what);
    }
    return result;
}

}  // namespace bough::run
