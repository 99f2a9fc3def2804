#pragma once
// The floating-point settings with which a thread runs work of another thread or group.

#include <cstdint>

#include "../exports/fp_settings.h"
#include "dispatch.h"
#include "slot_view.h"

namespace bough::detail {

// While this lives the thread, which sits in the slot, computes with `wanted`; 0: as the workers of its arena do. Costs
// one compare if the thread has these settings already.
class fp_scope {
public:
    fp_scope(slot_view& v, std::uint64_t wanted) : view_(v), outer_(v.fp_settings) {
        if (wanted != outer_) [[unlikely]]
            change(wanted);
    }
    ~fp_scope() {
        if (threads_ == 0) [[likely]]
            return;
        set_fp_settings(threads_);
        view_.fp_settings = outer_;
    }
    fp_scope(const fp_scope&) = delete;
    fp_scope& operator=(const fp_scope&) = delete;

private:
    void change(std::uint64_t wanted) {
        threads_ = current_fp_settings();
        view_.fp_settings = wanted;
        set_fp_settings(wanted ? wanted : arena_fp_settings());
    }

    slot_view& view_;
    std::uint64_t outer_;
    std::uint64_t threads_ = 0;
};

}  // namespace bough::detail
