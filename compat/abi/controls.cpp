// global_control and task_scheduler_handle.

#include "controls.h"

#include <bough/detail/arena.h>
#include <bough/detail/bounds.h>
#include <bough/detail/raise.h>
#include <bough/global_control.h>

#include <oneapi/tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

#include "newer.h"
#include "twins.h"

namespace bough::compat::abi {
namespace {

// Living controls of a kind that is on or off.
struct switches {
    std::atomic<int> leave_fast{0};
    std::atomic<int> handles{0};
};
constinit switches living;

}  // namespace

bool leaves_fast() noexcept {
    return living.leave_fast.load(std::memory_order_relaxed) != 0;
}

}  // namespace bough::compat::abi

namespace tbb::detail::r1 {

namespace abi = bough::compat::abi;

// The fields of oneTBB's global_control; `my_reserved` holds the core's.
struct global_control_impl {
    using control = d1::global_control;
    static_assert(sizeof(control) == 24);

    static void create(control& c) {
        switch (c.my_param) {
        case control::max_allowed_parallelism:
            return keep(c, bough::global_control::max_allowed_parallelism, 1, bough::detail::most_threads);
        case control::thread_stack_size:
            return keep(c, bough::global_control::thread_stack_size, bough::detail::least_stack_bytes,
                        ~std::size_t{0});
        case control::terminate_on_exception:
            return keep(c, bough::global_control::terminate_on_exception, 0, 1);
        default:
            count(c, +1);
        }
    }

    static void destroy(control& c) {
        delete reinterpret_cast<bough::global_control*>(c.my_reserved);
        c.my_reserved = 0;
        count(c, -1);
    }

    static std::size_t active_value(int parameter) {
        switch (parameter) {
        case control::max_allowed_parallelism:
            return bough::global_control::active_value(bough::global_control::max_allowed_parallelism);
        case control::thread_stack_size:
            return bough::global_control::active_value(bough::global_control::thread_stack_size);
        case control::terminate_on_exception:
            return bough::global_control::active_value(bough::global_control::terminate_on_exception);
        case control::scheduler_handle:
            return abi::living.handles.load(std::memory_order_relaxed) != 0 ? 1 : 0;
        case abi::leave_policy_parameter:
            return abi::leaves_fast() ? 1 : 0;
        default:
            return 0;
        }
    }

private:
    // oneTBB allows every value; the core says what makes sense.
    static void keep(control& c, bough::global_control::parameter p, std::size_t least, std::size_t most) {
        auto core = std::make_unique<bough::global_control>(p, std::clamp(c.my_value, least, most));
        c.my_reserved = reinterpret_cast<std::intptr_t>(core.release());
    }

    static void count(const control& c, int difference) {
        if (c.my_param == control::scheduler_handle)
            abi::living.handles.fetch_add(difference, std::memory_order_relaxed);
        else if (c.my_param == abi::leave_policy_parameter && c.my_value != 0)
            abi::living.leave_fast.fetch_add(difference, std::memory_order_relaxed);
    }
};

void create(d1::global_control& c) {
    bough::detail::or_terminate([&c] { global_control_impl::create(c); });
}

void destroy(d1::global_control& c) {
    global_control_impl::destroy(c);
}

std::size_t global_control_active_value(int parameter) {
    return global_control_impl::active_value(parameter);
}

// ---- task_scheduler_handle ----

void release_impl(d1::task_scheduler_handle& handle) {
    delete handle.m_ctl;
    handle.m_ctl = nullptr;
}

bool finalize_impl(d1::task_scheduler_handle& handle) {
    release_impl(handle);
    // Who holds another handle counts on the workers.
    return abi::living.handles.load(std::memory_order_relaxed) == 0 && bough::detail::stop_workers();
}

void get(d1::task_scheduler_handle& handle) {
    abi::look_for_twins();
    handle.m_ctl = bough::detail::or_terminate(
        [] { return new d1::global_control(d1::global_control::scheduler_handle, 1); });
}

bool finalize(d1::task_scheduler_handle& handle, std::intptr_t mode) {
    if (mode == d1::release_nothrowing) {
        release_impl(handle);
        return true;
    }
    const bool finalized = finalize_impl(handle);
    if (!finalized && mode == d1::finalize_throwing)
        throw_exception(exception_id::unsafe_wait);
    return finalized;
}

}  // namespace tbb::detail::r1
