#include "machine/quit_signal.h"

#include <signal.h>

#include <atomic>
#include <cerrno>

namespace bough::machine {
namespace {

std::atomic<void (*)()> to_run{nullptr};
struct sigaction before;    // not written while the handler is installed
bool is_installed = false;  // or was: a handler that came later may call it still

void handle(int number, siginfo_t* info, void* context) {
    const int error = errno;
    // acquire: pairs with call_on_quit().
    if (auto* const run = to_run.load(std::memory_order_acquire))
        run();
    errno = error;
    if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN)
        return;
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
}

}  // namespace

void call_on_quit(void (*run)()) noexcept {
    struct sigaction now{};
    if (is_installed || sigaction(SIGQUIT, nullptr, &now) != 0)
        return;
    is_installed = true;
    before = now;
    struct sigaction ours{};
    ours.sa_sigaction = handle;
    ours.sa_mask = now.sa_mask;  // as the handler before wants to be called
    const bool had_handler = now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN;
    ours.sa_flags = SA_SIGINFO | (had_handler ? now.sa_flags & (SA_RESTART | SA_NODEFER | SA_ONSTACK)
                                              : SA_RESTART | SA_ONSTACK);
    // release: pairs with handle().
    to_run.store(run, std::memory_order_release);
    sigaction(SIGQUIT, &ours, nullptr);
}

void forget_quit() noexcept {
    struct sigaction now{};
    if (!is_installed || sigaction(SIGQUIT, nullptr, &now) != 0 || !(now.sa_flags & SA_SIGINFO) ||
        now.sa_sigaction != handle)
        return;
    sigaction(SIGQUIT, &before, nullptr);
    is_installed = false;
}

}  // namespace bough::machine
