// Resumable tasks.

#include <bough/resumable.h>

#include <oneapi/tbb/detail/_task.h>

namespace tbb::detail::r1 {

namespace {

struct wanted_call {
    suspend_callback_type callback;
    void* user_callback;
};

void begin_other(void* data, bough::suspend_point point) {
    const auto* wanted = static_cast<const wanted_call*>(data);
    wanted->callback(wanted->user_callback, reinterpret_cast<suspend_point_type*>(point));
}

}  // namespace

void suspend(suspend_callback_type callback, void* user_callback) {
    wanted_call wanted{callback, user_callback};
    bough::detail::suspend(begin_other, &wanted);
}

void resume(suspend_point_type* point) {
    bough::resume(reinterpret_cast<bough::suspend_point>(point));
}

suspend_point_type* current_suspend_point() {
    return reinterpret_cast<suspend_point_type*>(bough::current_suspend_point());
}

}  // namespace tbb::detail::r1
