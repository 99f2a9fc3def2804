// Observers of arenas.

#include <bough/observer.h>

#include <oneapi/tbb/task_scheduler_observer.h>

#include <memory>

namespace tbb::detail::r1 {

namespace core = bough::detail;

// What d1::task_scheduler_observer::my_proxy points to while it observes.
class observer_proxy {
public:
    static_assert(sizeof(d1::task_scheduler_observer) == 32);

    core::observation* record = nullptr;

    static void tell_entry(void* observer, bool is_worker) {
        static_cast<d1::task_scheduler_observer*>(observer)->on_scheduler_entry(is_worker);
    }
    static void tell_exit(void* observer, bool is_worker) {
        static_cast<d1::task_scheduler_observer*>(observer)->on_scheduler_exit(is_worker);
    }
};

void observe(d1::task_scheduler_observer& o, bool on) {
    if (on == (o.my_proxy.load(std::memory_order_relaxed) != nullptr))
        return;
    if (on) {
        core::arena* chosen = nullptr;
        if (d1::task_arena_base* ta = o.my_task_arena) {
            o.my_task_arena->initialize();
            chosen = reinterpret_cast<core::arena*>(ta->my_arena.load(std::memory_order_acquire));
        }
        auto proxy = std::make_unique<observer_proxy>();
        observer_proxy* const p = proxy.release();
        // release: pairs with the observer's destructor.
        o.my_proxy.store(p, std::memory_order_release);
        try {
            core::begin_observation(chosen, {observer_proxy::tell_entry, observer_proxy::tell_exit, &o},
                                    &p->record);
        } catch (...) {  // without memory: it does not observe, so its destructor must find no proxy
            delete o.my_proxy.exchange(nullptr, std::memory_order_acquire);
            throw;
        }
    } else {
        const std::unique_ptr<observer_proxy> p(o.my_proxy.exchange(nullptr, std::memory_order_acquire));
        core::end_observation(p->record);
    }
}

}  // namespace tbb::detail::r1
