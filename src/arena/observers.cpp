#include "arena/observers.h"

#include <algorithm>
#include <new>
#include <utility>

#include "bough/detail/spin_wait.h"
#include "local_queue.h"

namespace bough::detail {

namespace {
// The calls that the calling thread is inside of, innermost first.
struct call_under_way {
    const observation* of;
    const call_under_way* outer;
};
thread_local const call_under_way* inside = nullptr;
}  // namespace

void observation::tell(bool entry, bool is_worker) {
    // seq_cst, both: store-load pair with end(). Either end() sees this call, or this call sees that it has ended.
    calls_under_way_.fetch_add(1, std::memory_order_seq_cst);
    if (on_.load(std::memory_order_seq_cst)) {
        const call_under_way here{this, inside};
        inside = &here;
        (entry ? calls.entry : calls.exit)(calls.data, is_worker);
        inside = here.outer;
    }
    // release: pairs with end(); the observer may be destroyed then.
    calls_under_way_.fetch_sub(1, std::memory_order_release);
}

std::uint32_t observation::own_calls() const {
    std::uint32_t own = 0;
    for (const call_under_way* c = inside; c; c = c->outer)
        own += c->of == this ? 1 : 0;
    return own;
}

void observation::end() {
    on_.store(false, std::memory_order_seq_cst);
    const std::uint32_t own = own_calls();
    local_queue::expose_all_here();  // a call that is under way may wait for one of this thread's tasks
    machine::spin_wait others;
    while (calls_under_way_.load(std::memory_order_seq_cst) > own)
        others.pause();
}

void observation::begin_in_child() {
    calls_under_way_.store(own_calls(), std::memory_order_relaxed);
}

void observer_list::begin_in_child() {
    for (const observation_ref& o : observers_)
        o->begin_in_child();
    mutex_.unlock();
}

void observer_list::add(observation_ref o) {
    const std::lock_guard lock(mutex_);
    observers_.push_back(std::move(o));
    version_.fetch_add(1, std::memory_order_relaxed);
}

void observer_list::remove(const observation& o) {
    const std::lock_guard lock(mutex_);
    std::erase_if(observers_, [&](const observation_ref& r) { return r.get() == &o; });
}

std::vector<observation_ref> observer_list::all() const {
    const std::lock_guard lock(mutex_);
    return observers_;
}

// Does not throw: the thread may be a worker, or inside a wait, and has no caller to which it could throw.
bool told_observers::tell_new(const observer_list& list, bool is_worker) noexcept {
    const std::uint32_t version = list.version();  // read before the list: a later add changes it again
    std::vector<observation_ref> all;
    try {
        all = list.all();
        told_.reserve(told_.size() + all.size());
    } catch (const std::bad_alloc&) {
        return false;
    }
    seen_ = version;
    for (const observation_ref& o : all) {
        if (std::find(told_.begin(), told_.end(), o) != told_.end())
            continue;
        told_.push_back(o);
        o->tell(true, is_worker);
    }
    return true;
}

void told_observers::leave(bool is_worker) {
    while (!told_.empty()) {
        const observation_ref o = std::move(told_.back());
        told_.pop_back();
        o->tell(false, is_worker);
    }
    seen_ = 0;
}

}  // namespace bough::detail
