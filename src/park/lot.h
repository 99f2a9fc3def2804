#pragma once
// Where threads sleep that wait for something other than work: callers that wait in an arena, and users' threads that
// wait for an address (entry/parking.cpp). Sleepers are found by the key they wait for, or by the place they sit in.
// Keys are compared, never dereferenced: a waker may name an object that is gone.
// Who sleeps pays for a mutex (a futex call follows anyway); who wakes and finds nobody pays one load.
// README.md has the argument.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "bough/config.h"

namespace bough {

class lot {
public:
    // Sleeps until woken, unless ready() says that there is nothing to wait for once this thread stands in the list.
    // ready() is asked once and may throw. May return early; callers loop.
    template <class Ready>
    void sleep(const void* key, const void* place, Ready&& ready, std::uintptr_t context = 0) {
        stay here(*this, key, place, context);
        if (!ready())
            here.wait();
    }

    // What ready() looks at must have been changed before by a seq_cst operation of the same thread: see README.md.
    void wake_all(const void* key);
    // The one that has slept longest.
    void wake_one(const void* key);
    // Those for whose context matches(context, value) holds.
    using match = bool (*)(std::uintptr_t context, std::uintptr_t value);
    void wake_matching(const void* key, match matches, std::uintptr_t value);
    // Everybody who sleeps in the place, whatever for.
    void wake_at(const void* place);
    // In a child of fork(): nobody sleeps.
    void begin_in_child();

private:
    // Fields without a comment are guarded by the bucket's mutex.
    struct sleeper {
        const void* key;  // constant, as are place and context
        const void* place;
        std::uintptr_t context;
        std::atomic<std::uint32_t> woken{0};  // the last that a waker touches
        bool listed = false;
        sleeper* next = nullptr;  // a waker's own once it has taken the sleeper off the list
        sleeper* previous = nullptr;
    };

    struct alignas(cache_line) bucket {
        std::atomic<std::uint32_t> asleep{0};  // length of the list
        std::mutex mutex;
        sleeper* first = nullptr;
        sleeper* last = nullptr;

        void append(sleeper& s);
        void unlink(sleeper& s);
    };

    // From here to its end the thread stands in the list, or has been woken.
    class stay {
    public:
        stay(lot& l, const void* key, const void* place, std::uintptr_t context);
        ~stay();
        stay(const stay&) = delete;
        stay& operator=(const stay&) = delete;
        void wait();

    private:
        bucket& bucket_;
        sleeper me_;
    };

    static constexpr unsigned bucket_bits = 4;

    bucket& bucket_of(const void* key);
    template <class Match>
    static void wake_if(bucket& b, std::size_t most, Match&& match);

    bucket buckets_[std::size_t{1} << bucket_bits];
};

// The one of this process; never destroyed, since workers may outlive static objects.
lot& process_lot();

}  // namespace bough
