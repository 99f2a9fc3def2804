// The list of frames. Nothing here is inlined elsewhere: a function that changes stacks may return in another thread,
// and must not keep the address of a thread-local variable.

#include <atomic>

#include "checks/on/running.h"

namespace bough::checks {
namespace {

constinit thread_local const frame* top = nullptr;

std::uint64_t next_number() noexcept {
    static constinit std::atomic<std::uint64_t> last{0};
    return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

frame::frame(bool call, const char* called, const void* code, const detail::cancel_node* n) noexcept
    : is_call(call), name(called), place(code), node(n), number(next_number()), outer(top) {
    top = this;
}
frame::~frame() {
    top = outer;
}

const frame* frame::innermost() noexcept {
    return top;
}

keep_frames::keep_frames() noexcept : kept_(top) {}
keep_frames::~keep_frames() {
    top = kept_;
}

void begin_frames() noexcept {
    top = nullptr;
}

}  // namespace bough::checks
