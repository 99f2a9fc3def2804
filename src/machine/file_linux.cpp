#include "machine/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace bough::machine {
namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw std::runtime_error(what);
}

class open_file {
public:
    explicit open_file(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {
        if (descriptor_ < 0)
            refuse(errno == ENOENT ? "no such file"
                                   : "cannot be opened: " + std::string(std::strerror(errno)));
    }
    ~open_file() { ::close(descriptor_); }
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;

    struct stat status() const {
        struct stat result{};
        if (::fstat(descriptor_, &result) != 0)
            refuse("cannot be read: " + std::string(std::strerror(errno)));
        return result;
    }
    // Bytes read; 0 at the end.
    std::size_t read(char* to, std::size_t most) const {
        for (;;) {
            const ssize_t got = ::read(descriptor_, to, most);
            if (got >= 0)
                return static_cast<std::size_t>(got);
            if (errno != EINTR)
                refuse("cannot be read: " + std::string(std::strerror(errno)));
        }
    }

private:
    int descriptor_;
};

}  // namespace

std::string read_regular_file(const std::string& path, std::size_t most_bytes) {
    const open_file file(path);
    if (!S_ISREG(file.status().st_mode))
        refuse("not a regular file");
    std::string text(most_bytes + 1, '\0');
    std::size_t length = 0;
    while (length < text.size()) {
        const std::size_t got = file.read(text.data() + length, text.size() - length);
        if (got == 0)
            break;
        length += got;
    }
    if (length > most_bytes)
        refuse("larger than " + std::to_string(most_bytes / 1'000'000) + " MB");
    text.resize(length);
    return text;
}

}  // namespace bough::machine
