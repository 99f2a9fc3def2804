// In test executables of another processor only: where they start themselves as a child (process tests, death tests),
// that goes through the emulator that runs them, TEST_EMULATOR, since the kernel here may not know how to start it.
// Takes the place of the C library's two functions. Programs of this machine are started as ever.

#include <elf.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {

bool is_of_our_processor(const char* program) {
#if defined(__aarch64__)
    constexpr auto ours = EM_AARCH64;
#else
    constexpr auto ours = EM_X86_64;
#endif
    Elf64_Ehdr header{};
    const int file = open(program, O_RDONLY | O_CLOEXEC);
    const bool whole = file >= 0 && read(file, &header, sizeof header) == ssize_t{sizeof header};
    if (file >= 0)
        close(file);
    return whole && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == ours;
}

// After a fork of a process with threads: no memory may be asked for.
int execute(const char* program, char* const arguments[], char* const environment[]) {
    const char* const emulator = std::getenv("TEST_EMULATOR");
    if (emulator == nullptr || !is_of_our_processor(program))
        return static_cast<int>(syscall(SYS_execve, program, arguments, environment));
    std::array<const char*, 64> all{emulator, program};
    std::size_t count = 2;
    for (std::size_t i = 1; arguments[0] != nullptr && arguments[i] != nullptr; ++i) {
        if (count + 1 == all.size()) {
            errno = E2BIG;
            return -1;
        }
        all[count++] = arguments[i];
    }
    return static_cast<int>(syscall(SYS_execve, emulator, all.data(), environment));
}

}  // namespace

extern "C" int execve(const char* program, char* const arguments[], char* const environment[]) noexcept {
    return execute(program, arguments, environment);
}

extern "C" int execv(const char* program, char* const arguments[]) noexcept {
    return execute(program, arguments, environ);
}
