#pragma once
// Text for stderr that needs neither memory nor stdio: a thread that hangs may hold a lock of either.

#include <cstddef>

namespace bough::machine {

class report {
public:
    // Into `room` bytes at `memory`; what does not fit is left out, and write() says so.
    constexpr report(char* memory, std::size_t room) : text_(memory), room_(room) {}

    void clear() noexcept { length_ = 0, is_cut_ = false; }
    // As std::printf.
    [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) noexcept;
    // Waits as long as stderr takes nothing.
    void write() const noexcept;

private:
    char* text_;
    std::size_t room_;
    std::size_t length_ = 0;
    bool is_cut_ = false;
};

}  // namespace bough::machine
