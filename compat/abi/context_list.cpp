// Whose list is whose.

#include "context_list.h"

#include <pthread.h>

#include <new>

namespace tbb::detail::r1 {

constinit std::mutex context_list::tree;
constinit thread_local context_list* context_list::mine_ = nullptr;
constinit context_list context_list::without_owner_;
constinit context_list* context_list::all_ = &context_list::without_owner_;

// A key and not a thread_local object: contexts may be used in destructors of the program's thread_local objects, after any
// of ours.
BOUGH_COLD context_list& context_list::take_over() noexcept {
    const std::lock_guard lock(tree);  // with hand_back() orders what the owner before did
    static pthread_key_t at_exit;
    static const bool has_key = pthread_key_create(&at_exit, hand_back) == 0;
    context_list* l = all_;
    while (l && l->is_owned_)
        l = l->next_;
    if (!l) {
        l = new (std::nothrow) context_list;
        if (!l)
            return without_owner_;
        l->next_ = std::exchange(all_, l);
    }
    l->is_owned_ = true;
    mine_ = l;
    if (has_key)
        pthread_setspecific(at_exit, l);  // where that fails nobody gets the list any more
    return *l;
}

void context_list::hand_back(void* list) noexcept {
    const std::lock_guard lock(tree);
    mine_ = nullptr;
    static_cast<context_list*>(list)->is_owned_ = false;
}

}  // namespace tbb::detail::r1
