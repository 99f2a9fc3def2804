// Whose list is whose.

#include "context_list.h"

#include <new>

namespace tbb::detail::r1 {

constinit std::mutex context_list::tree_;
constinit thread_local bool context_list::is_forking_ = false;
constinit thread_local context_list* context_list::mine_ = nullptr;
constinit context_list context_list::without_owner_;
constinit context_list* context_list::all_ = &context_list::without_owner_;

// A key and not a thread_local object: contexts may be used in destructors of the program's thread_local objects, after
// any of ours.
pthread_key_t context_list::at_exit_;
const bool context_list::has_key_ = pthread_key_create(&at_exit_, hand_back) == 0;

// Nothing is allocated under the mutex: a fork may wait for it with the allocator's locks in hand.
BOUGH_COLD context_list& context_list::take_over() noexcept {
    if (!has_key_)
        return without_owner_;
    context_list* l = left_by_another();
    if (!l) {
        l = new (std::nothrow) context_list;
        if (!l)
            return without_owner_;
        add(*l);
    }
    mine_ = l;
    pthread_setspecific(at_exit_, l);  // where that fails nobody gets the list any more
    return *l;
}

context_list* context_list::left_by_another() noexcept {
    const auto lock = locked_tree();
    for (context_list* l = all_; l; l = l->next_) {
        // acquire: pairs with hand_back(); orders what the owner before did.
        if (!l->is_owned_.load(std::memory_order_acquire)) {
            l->is_owned_.store(true, std::memory_order_relaxed);
            return l;
        }
    }
    return nullptr;
}

void context_list::add(context_list& l) noexcept {
    const auto lock = locked_tree();
    l.next_ = std::exchange(all_, &l);
}

// Waits for nobody: a thread may end that somebody who forks waits for.
void context_list::hand_back(void* list) noexcept {
    mine_ = nullptr;
    static_cast<context_list*>(list)->is_owned_.store(false, std::memory_order_release);
}

}  // namespace tbb::detail::r1
