#include "arena/fibers.h"

#include <utility>

namespace bough {

fiber* slot_fibers::take_ready() {
    for (fiber* f = resumed_.exchange(nullptr, std::memory_order_acquire); f; f = f->next_resumed) {
        ready.push_back(f);  // there is room: reserved when the stack was made
        --suspended;
    }
    for (auto* from : {&ready, &waiting}) {
        for (std::size_t i = 0; i < from->size(); ++i) {
            fiber* f = (*from)[i];
            if (from == &waiting && !f->is_done(f->data))
                continue;
            from->erase(from->begin() + static_cast<std::ptrdiff_t>(i));
            return f;
        }
    }
    return nullptr;
}

}  // namespace bough
