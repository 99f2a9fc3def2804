#pragma once
// Where a task can be fetched from: one mailbox to which all producers send, or one queue per producer, from which the
// consumer steals in turn. put() is called by producer p's thread, take() by the consumer's.

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "mail/mailbox.h"
#include "mail/task_proxy.h"
#include "queue/abp.h"
#include "queue/chase_lev.h"
#include "queue/mutex_deque.h"
#include "queue/split.h"

namespace bench {

struct parcel;

struct letter : bough::task_proxy {
    explicit letter(parcel& p);
    parcel& content;
};

struct alignas(64) parcel : bough::task {
    unsigned producer = 0;
    std::uint64_t number = 0;  // of this producer, counted from 0
    alignas(64) unsigned char proxy[sizeof(letter)];
};

inline letter::letter(parcel& p) : basic_task_proxy(p, nullptr), content(p) {}

class mailbox_channel {
public:
    static constexpr const char* name = "mailbox";
    explicit mailbox_channel(unsigned) {}

    // The proxy's other half, that of the queue, is never taken: nobody frees it.
    bool put(unsigned, parcel& p) { return box_.send(*new (p.proxy) letter(p)); }
    bough::task* take() {
        bough::task_proxy* const proxy = box_.receive();
        return proxy ? bough::task_proxy::take(*proxy, bough::task_proxy::mailbox) : nullptr;
    }

protected:
    bough::mailbox box_;
};

// The pop alone; the others' have no proxy to open.
class unopened_channel : public mailbox_channel {
public:
    static constexpr const char* name = "mailbox-pop";
    using mailbox_channel::mailbox_channel;
    bough::task* take() {
        auto* const received = static_cast<letter*>(box_.receive());
        return received ? &received->content : nullptr;
    }
};

// Loses every thousandth parcel: the check must notice.
class broken_channel : public mailbox_channel {
public:
    static constexpr const char* name = "broken";
    using mailbox_channel::mailbox_channel;
    bool put(unsigned producer, parcel& p) {
        return p.number % 1000 == 999 || mailbox_channel::put(producer, p);
    }
};

template <class Queue>
class queue_channel {
public:
    explicit queue_channel(unsigned producers) {
        for (unsigned i = 0; i < producers; ++i)
            queues_.push_back(std::make_unique<Queue>());
    }

    bool put(unsigned producer, parcel& p) {
        typename Queue::owner owner(*queues_[producer]);
        if (!owner.push(p))
            return false;
        if constexpr (requires { owner.expose_all(); })
            owner.expose_all();
        return true;
    }

    // One look at one queue; at the next one after a look in vain.
    bough::task* take() {
        const bough::steal_result got = typename Queue::thief(*queues_[next_]).steal();
        if (!got.stolen && ++next_ == queues_.size())
            next_ = 0;
        return got.stolen;
    }

private:
    std::vector<std::unique_ptr<Queue>> queues_;
    std::size_t next_ = 0;
};

struct chase_lev_channel : queue_channel<bough::chase_lev> {
    static constexpr const char* name = "chase-lev";
    using queue_channel::queue_channel;
};
struct abp_channel : queue_channel<bough::abp> {
    static constexpr const char* name = "abp";
    using queue_channel::queue_channel;
};
struct mutex_channel : queue_channel<bough::mutex_deque> {
    static constexpr const char* name = "mutex";
    using queue_channel::queue_channel;
};
// Everything is exposed as soon as it is pushed.
struct split_channel
    : queue_channel<
          bough::basic_split<bough::machine::atomics, bough::expose_one, bough::exposure::by_owner>> {
    static constexpr const char* name = "split";
    using queue_channel::queue_channel;
};

}  // namespace bench
