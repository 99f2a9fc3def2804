#pragma once
// Where waiting callers sleep: a list under one mutex, found by the address they wait for or by the arena they sit in.
// The slow path of every wait (a futex call follows anyway), so a mutex is the simple and right thing.
// Keys are compared, never dereferenced: a waker may name an object that is gone.

#include <atomic>
#include <cstdint>
#include <mutex>

namespace bough {

class lot {
public:
    // Sleeps until woken by wake_all(key) or wake_at(place), unless ready() says that there is nothing to wait for once
    // this thread stands in the list. May return early; callers loop.
    template <class Ready>
    void sleep(const void* key, const void* place, Ready&& ready) {
        sleeper me{key, place};
        enter(me);
        if (ready())
            leave(me);
        else
            wait(me);
    }

    // Wakes everybody who waits for the key, or everybody who sleeps in the place.
    void wake_all(const void* key);
    void wake_at(const void* place);

private:
    struct sleeper {
        const void* key;
        const void* place;
        std::atomic<std::uint32_t> woken{0};
        sleeper* next = nullptr;
        sleeper* previous = nullptr;
    };

    void enter(sleeper& s);
    void leave(sleeper& s);
    void wait(sleeper& s);
    void unlink(sleeper& s);
    template <class Match>
    void wake_if(Match&& match);

    std::mutex mutex_;
    sleeper* first_ = nullptr;
};

// The one of this process; never destroyed, since workers may outlive static objects.
lot& process_lot();

}  // namespace bough
