#pragma once
// For all fuzz targets: a property that ends the process, a file that lies in memory, and what was written to stderr.

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace bough_fuzz {

// The fuzzer keeps the input of a process that aborts.
inline void check(bool holds, const char* property, const std::string& found = "") {
    if (holds)
        return;
    std::fprintf(stderr, "does not hold: %s\n  found: %s\n", property, found.c_str());
    std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

inline bool is_one_line(std::string_view text, std::size_t longest) {
    for (const char c : text)
        if (c < ' ' || c > '~')
            return false;
    return !text.empty() && text.size() <= longest;
}

// The pieces between the separators; at least one.
inline std::vector<std::string> pieces(std::string_view text, char separator) {
    std::vector<std::string> result;
    for (;;) {
        const std::size_t end = text.find(separator);
        result.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos)
            return result;
        text.remove_prefix(end + 1);
    }
}

// One file for all inputs of the process: a regular one that never reaches a disk.
class memory_file {
public:
    memory_file() : fd_(memfd_create("bough_fuzz", MFD_CLOEXEC)) { check(fd_ >= 0, "a file in memory"); }
    ~memory_file() { close(fd_); }
    memory_file(const memory_file&) = delete;
    memory_file& operator=(const memory_file&) = delete;

    void hold(std::string_view text) const {
        const auto size = static_cast<ssize_t>(text.size());
        check(ftruncate(fd_, 0) == 0 && pwrite(fd_, text.data(), text.size(), 0) == size, "a file in memory");
    }
    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

// What f() writes to stderr. The file descriptor stays as it is: reports of sanitizers are seen.
template <class F>
std::string stderr_of(F&& f) {
    char* text = nullptr;
    std::size_t size = 0;
    FILE* const usual = stderr;
    FILE* const kept = open_memstream(&text, &size);
    check(kept != nullptr, "a stream in memory");
    stderr = kept;  // glibc has it as a variable
    f();
    stderr = usual;
    std::fclose(kept);
    const std::string result(text, size);
    std::free(text);
    return result;
}

}  // namespace bough_fuzz
