#include "machine/interrupt.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "machine/once.h"

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
    if (before.sa_handler == SIG_IGN)
        return;
    if (before.sa_handler == SIG_DFL) {  // ends the process as soon as the handler returns
        sigaction(number, &before, nullptr);
        raise(number);
    } else if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else {
        before.sa_handler(number);
    }
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

namespace {

// Asked first: the handler must know what was there before it can be called.
bool is_ours_installed(int number, struct sigaction* now) {
    return sigaction(number, nullptr, now) == 0 && (now->sa_flags & SA_SIGINFO) &&
           now->sa_sigaction == handle;
}

}  // namespace

interrupts::interrupts(int number, void (*run)()) {
    const std::lock_guard lock(installed.mutex);
    struct sigaction now{};
    if (installed.users++ != 0 || is_ours_installed(number, &now))
        return;
    installed.before = now;
    struct sigaction ours{};
    ours.sa_sigaction = handle;
    // As the handler before wants to be called, but never within itself (SA_NODEFER): what is run here is not made for
    // that.
    ours.sa_mask = now.sa_mask;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    to_run.store(run, std::memory_order_release);
    if (sigaction(number, &ours, nullptr) == 0)
        used.store(number, std::memory_order_release);
}

interrupts::~interrupts() {
    const std::lock_guard lock(installed.mutex);
    // One that came after the restoration could end the process. acquire: pairs with the handler's decrement.
    if (--installed.users != 0 || under_way.load(std::memory_order_acquire) != 0)
        return;
    const int number = used.load(std::memory_order_relaxed);
    struct sigaction now{};
    if (number == 0 || !is_ours_installed(number, &now))
        return;
    used.store(0, std::memory_order_relaxed);
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
namespace {

bool send_to(int thread, int number, siginfo_t& info) {
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), thread, number, &info) == 0;
}

bool queue_signal(int number, int thread, const int* value) {
    siginfo_t info{};
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = const_cast<int*>(value);
    return send_to(thread, number, info);
}

// The oldest that was sent to the calling thread, which blocks them, with the value; what was sent before stays.
void take_pending(int number, const int* value) {
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, number);
    const timespec at_once{};
    std::array<siginfo_t, 8> others{};
    unsigned kept = 0;
    for (siginfo_t& got : others) {
        if (sigtimedwait(&ours, &got, &at_once) != number ||
            (got.si_code == SI_QUEUE && got.si_value.sival_ptr == value))
            break;
        ++kept;
    }
    for (unsigned i = 0; i < kept; ++i)
        send_to(this_thread_id(), number, others[i]);
}

bool is_pending(int number) {
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, number) == 1;
}

// Blocked, sent, and taken off again: no handler sees it.
bool can_be_sent(int number) {
    static const int probe = 0;
    sigset_t ours, before;
    sigemptyset(&ours);
    sigaddset(&ours, number);
    if (pthread_sigmask(SIG_BLOCK, &ours, &before) != 0)
        return false;
    const bool sent = queue_signal(number, this_thread_id(), &probe);
    if (sent)
        take_pending(number, &probe);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return sent;
}

}  // namespace

bool interrupts::work(int number) {
    static constinit made_once<bool> sent;
    return sent.get([number] { return can_be_sent(number); });
}

void interrupts::end(bool blocked_again) noexcept {
    const int number = used.load(std::memory_order_acquire);
    if (number == 0)
        return;
    // Where it stays let in, the handler will run.
    if (!blocked_again)
        return;
    change_mask(SIG_BLOCK);
    // What is pending would be under way for ever when the thread ends.
    while (under_way.load(std::memory_order_relaxed) != 0 && is_pending(number)) {
        change_mask(SIG_UNBLOCK);  // the handler runs
        change_mask(SIG_BLOCK);
    }
}

// A child that was copied while a thread counted itself among the users, and had not installed the handler, would have
// none for ever: later users would find the count taken.
void interrupts::lock_for_process_fork() {
    installed.mutex.lock();
}
void interrupts::unlock_in_parent() {
    installed.mutex.unlock();
}

void interrupts::begin_in_child() noexcept {
    installed.mutex.unlock();  // by the thread that locked it, which is the one that there is
    under_way.store(0, std::memory_order_relaxed);
}

bool interrupts::send(int thread) noexcept {
    const int number = used.load(std::memory_order_acquire);
    if (number == 0 || thread == 0)
        return false;
    under_way.fetch_add(1, std::memory_order_relaxed);
    const bool sent = queue_signal(number, thread, &mark);
    if (!sent)
        under_way.fetch_sub(1, std::memory_order_relaxed);
    return sent;
}

}  // namespace bough::machine
