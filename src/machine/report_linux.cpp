#include "machine/report.h"

#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string_view>

namespace bough::machine {

void report::add(const char* format, ...) noexcept {
    std::va_list arguments;
    va_start(arguments, format);
    const int wanted = std::vsnprintf(text_ + length_, room_ - length_, format, arguments);
    va_end(arguments);
    if (wanted < 0)
        return;
    const std::size_t rest = room_ - length_ - 1;  // behind it vsnprintf puts a zero
    is_cut_ = is_cut_ || static_cast<std::size_t>(wanted) > rest;
    length_ += static_cast<std::size_t>(wanted) > rest ? rest : static_cast<std::size_t>(wanted);
}

static void write_all(std::string_view text) noexcept {
    while (!text.empty()) {
        const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            return;
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
}

void report::write() const noexcept {
    write_all({text_, length_});
    if (is_cut_)
        write_all("\nbough: the rest is left out: it is too long\n");
}

}  // namespace bough::machine
