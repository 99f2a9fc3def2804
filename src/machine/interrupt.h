#pragma once
// Runs a function in another thread of the process, wherever that is: by a real-time signal, whose handler calls it.
// The program's own use of the signal is left alone: what does not come from here goes to the handler that was there
// before, or does what it would have done without one.

namespace bough::machine {

// The kernel's number of the calling thread.
int this_thread_id() noexcept;

// The real-time signals that BOUGH_SIGNAL may name (profile/settings.cpp has the default).
int first_interrupt() noexcept;
int last_interrupt() noexcept;

// While there are any of these the handler is installed; the last one puts back what was there before, unless a signal
// is still under way, or the program has installed another handler since. All have the same function and number as the
// first one. A system call that a signal comes into is begun anew
// (SA_RESTART), but for those that never are: sleep, poll, epoll_wait and the like return with EINTR. That holds for
// the program's own signals of that number too, whatever its handler asked for; nor does one of them interrupt the
// handler of another (SA_NODEFER). And while the handler is installed some threads of bough let the number in: a
// program that wants such signals to wait for a sigwait(), and has no handler for them, must use another number.
class interrupts {
public:
    // run: async-signal-safe.
    interrupts(int number, void (*run)());
    interrupts(const interrupts&) = delete;
    interrupts& operator=(const interrupts&) = delete;
    ~interrupts();

    // Whether the signal can be sent at all: a limit of pending signals or a filter may forbid it. Sends one to the
    // calling thread, where it does nothing.
    static bool work(int number);

    // The function will run in this thread, unless that has ended, or blocks the signal. False: it could not be sent.
    static bool send(int thread) noexcept;

    // Lets the signal into the calling thread, as workers block all signals of the program's; true if it was blocked.
    static bool let_in() noexcept;
    // No more are sent to the calling thread; blocked again: as it was before let_in().
    static void end(bool blocked_again) noexcept;

    // Around a fork: no other thread is in the middle of installing the handler, or of putting it away.
    static void lock_for_process_fork();
    static void unlock_in_parent();
    // In the child: what was under way to other threads has gone with them.
    static void begin_in_child() noexcept;
};

}  // namespace bough::machine
