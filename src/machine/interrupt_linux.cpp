#include "machine/interrupt.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

namespace bough::machine {
namespace {

struct {
    std::mutex mutex;
    unsigned users = 0;
    struct sigaction before;
} installed;

std::atomic<void (*)()> to_run{nullptr};
std::atomic<int> used{0};       // the signal's number, 0: none
std::atomic<int> under_way{0};  // sent and not handled
const int mark = 0;             // its address says that a signal comes from here

void pass_on(int number, siginfo_t* info, void* context) {
    const struct sigaction& before = installed.before;  // not written while the handler is installed
    if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(number);
}

void handle(int number, siginfo_t* info, void* context) {
    if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &mark)
        return pass_on(number, info, context);
    const int error = errno;
    if (auto* const run = to_run.load(std::memory_order_acquire))
        run();
    under_way.fetch_sub(1, std::memory_order_release);
    errno = error;
}

}  // namespace

int this_thread_id() noexcept {
    return static_cast<int>(syscall(SYS_gettid));
}

int first_interrupt() noexcept {
    return SIGRTMIN;
}
int last_interrupt() noexcept {
    return SIGRTMAX;
}

interrupts::interrupts(int number, void (*run)()) {
    const std::lock_guard lock(installed.mutex);
    if (installed.users++ != 0 || used.load(std::memory_order_relaxed) != 0)
        return;
    struct sigaction ours{};
    ours.sa_sigaction = handle;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    to_run.store(run, std::memory_order_release);
    if (sigaction(number, &ours, &installed.before) == 0)
        used.store(number, std::memory_order_release);
}

interrupts::~interrupts() {
    const std::lock_guard lock(installed.mutex);
    // One that came after the restoration could end the process. acquire: pairs with the handler's decrement.
    if (--installed.users != 0 || under_way.load(std::memory_order_acquire) != 0)
        return;
    if (const int number = used.exchange(0, std::memory_order_relaxed))
        sigaction(number, &installed.before, nullptr);
}

namespace {

// True if it was blocked before.
bool change_mask(int how) noexcept {
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, used.load(std::memory_order_acquire));
    return pthread_sigmask(how, &ours, &before) == 0 &&
           sigismember(&before, used.load(std::memory_order_relaxed)) == 1;
}

}  // namespace

bool interrupts::let_in() noexcept {
    return used.load(std::memory_order_acquire) != 0 && change_mask(SIG_UNBLOCK);
}
void interrupts::shut_out() noexcept {
    if (used.load(std::memory_order_acquire) != 0)
        change_mask(SIG_BLOCK);
}

void interrupts::send(int thread) noexcept {
    const int number = used.load(std::memory_order_acquire);
    if (number == 0 || thread == 0)
        return;
    siginfo_t info{};
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = const_cast<int*>(&mark);
    under_way.fetch_add(1, std::memory_order_relaxed);
    if (syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, number, &info) != 0)
        under_way.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace bough::machine
