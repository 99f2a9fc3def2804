#pragma once
// Many senders, one receiver: proxies for one slot, received oldest first. Lock-free; a send is one CAS on the
// receiver's inbox line. README.md.

#include <atomic>

#include "mail/task_proxy.h"

namespace bough {

class mailbox {
public:
    // Any thread.
    void send(task_proxy& p) {
        task* head = head_.load(std::memory_order_relaxed);
        do {
            p.link = head;
            // release: pairs with receive(); proxy and task are visible.
        } while (
            !head_.compare_exchange_weak(head, &p, std::memory_order_release, std::memory_order_relaxed));
    }

    // Any thread; may be out of date at once.
    bool is_empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }

    // The slot's thread only: the oldest proxy, or null.
    task_proxy* receive() {
        if (!received_ && !is_empty())
            received_ = reversed(head_.exchange(nullptr, std::memory_order_acquire));
        task* oldest = received_;
        if (oldest)
            received_ = oldest->link;
        return static_cast<task_proxy*>(oldest);
    }
    bool has_mail() const { return received_ != nullptr || !is_empty(); }

private:
    static task* reversed(task* newest) {
        task* oldest = nullptr;
        while (newest) {
            task* next = newest->link;
            newest->link = oldest;
            oldest = newest;
            newest = next;
        }
        return oldest;
    }

    std::atomic<task*> head_{nullptr};
    task* received_ = nullptr;  // receiver only, oldest first
};

}  // namespace bough
