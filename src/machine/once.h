#pragma once
// What a process has one of: made at its first use, never destroyed, since workers may outlive static objects. All of
// it is made under one lock, which fork() takes (worker/process_fork.cpp). *Why not a function's static object:* a
// child that was forked while another thread made one would wait for that thread for ever.

#include <atomic>
#include <mutex>

namespace bough::machine {

// Also of other things that are rarely changed. Recursive: to make one thing may take another.
std::recursive_mutex& process_lock();
// Of a child: it is free. The thread that held it has another number there.
void begin_process_lock_in_child() noexcept;

template <class T>
class made_once {
public:
    // What make() returns; if that throws, the next caller tries again. Any thread; one load when it has been made.
    template <class Make>
    T& get(Make&& make) {
        if (T* const made = if_made()) [[likely]]
            return *made;
        const std::lock_guard lock(process_lock());
        if (!if_made())
            // release: pairs with if_made().
            made_.store(new T(make()), std::memory_order_release);
        return *if_made();
    }
    // Or null.
    T* if_made() const noexcept {
        // acquire: pairs with get().
        return made_.load(std::memory_order_acquire);
    }

private:
    std::atomic<T*> made_{nullptr};
};

}  // namespace bough::machine
