// r1::parallel_pipeline: oneTBB's filters on the core's pipeline (src/pipeline). An item is a pointer, or what oneTBB's
// headers fold into one.

#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/parallel_pipeline.h>

#include <bough/detail/pipeline.h>
#include <bough/detail/raise.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <vector>

#include "contexts.h"
#include "groups.h"

namespace bough::compat::abi {
namespace {

namespace d1 = tbb::detail::d1;
using contexts = tbb::detail::r1::task_group_context_impl;

// The filter whose last call on this thread ended the input. A filter says so right before it returns, so no other
// filter runs between the mark and take_end_mark() below, nor can its body be suspended there and go on in another
// thread.
constinit thread_local const d1::base_filter* input_ended_by = nullptr;

// Not inlined: an address computed before the body ran may belong to the thread that the body began in.
__attribute__((noinline)) bool take_end_mark(const d1::base_filter& f) {
    const bool ended = input_ended_by == &f;
    input_ended_by = nullptr;
    return ended;
}

// Filters come from filter_node::create_filter(), which takes their memory from allocate_memory().
struct destroy_filter {
    void operator()(d1::base_filter* f) const {
        f->~base_filter();
        tbb::detail::r1::deallocate_memory(f);
    }
};
using owned_filter = std::unique_ptr<d1::base_filter, destroy_filter>;

class foreign_filter : public detail::pipeline_filter {
public:
    foreign_filter(owned_filter f, d1::task_group_context& c) : filter_(std::move(f)), context_(c) {
        call = [](const pipeline_filter& self, void* in, void* out) {
            return static_cast<const foreign_filter&>(self).make_item(static_cast<void**>(in),
                                                                      static_cast<void**>(out));
        };
        // An item that is no pointer may look like nullptr; nothing has to be done for it.
        drop = [](const pipeline_filter& self, void* in) noexcept {
            if (void* const item = *static_cast<void**>(in))
                static_cast<const foreign_filter&>(self).filter_->finalize(item);
        };
        mode = !filter_->is_serial()   ? filter_mode::parallel
               : filter_->is_ordered() ? filter_mode::serial_in_order
                                       : filter_mode::serial_out_of_order;
        out_size = sizeof(void*);
        out_alignment = alignof(void*);
    }

private:
    // The context keeps the exception, and is cancelled at once.
    bool make_item(void** in, void** out) const try {
        d1::base_filter& f = *filter_;
        *out = f(in ? *in : nullptr);
        // A filter with typed items ends the input by set_end_of_input(), others by nullptr.
        return in || *out != nullptr || (f.object_may_be_null() && !take_end_mark(f));
    } catch (...) {
        contexts::fail(context_);
        throw;
    }

    owned_filter filter_;
    d1::task_group_context& context_;
};

using foreign_filters = std::vector<std::unique_ptr<const foreign_filter>>;

// The chain is a tree whose leaves are the filters, from left to right.
foreign_filters filters_of(const d1::filter_node& chain, d1::task_group_context& context) {
    foreign_filters filters;
    std::vector<const d1::filter_node*> to_do{&chain};
    while (!to_do.empty()) {
        const d1::filter_node& node = *to_do.back();
        to_do.pop_back();
        if (!node.left) {
            filters.push_back(
                std::make_unique<const foreign_filter>(owned_filter(node.create_filter()), context));
            continue;
        }
        to_do.push_back(&*node.right);
        to_do.push_back(&*node.left);
    }
    return filters;
}

}  // namespace
}  // namespace bough::compat::abi

namespace tbb::detail::r1 {

namespace abi = bough::compat::abi;

static void run_pipeline(d1::task_group_context& context, std::size_t max_token, const d1::filter_node& fn) {
    task_group_context_impl::bind(context);
    const abi::foreign_filters filters = abi::filters_of(fn, context);
    std::vector<const bough::detail::pipeline_filter*> list;
    for (const auto& f : filters)
        list.push_back(f.get());

    abi::context_group group(&context, task_group_context_impl::cancellation(context));
    bough::detail::pipeline_job job;
    job.filters = list.data();
    job.filter_count = list.size();
    job.max_live_tokens = std::max<std::size_t>(1, max_token);
    job.fp_settings = task_group_context_impl::fp_settings(context);
    job.node.hear_of(group);
    bough::detail::run_pipeline(job);
    task_group_context_impl::rethrow(context);
    if (job.error) {  // no filter's: bough's own
        task_group_context_impl::cancel(context);
        std::rethrow_exception(job.error);
    }
}

void parallel_pipeline(d1::task_group_context& context, std::size_t max_token, const d1::filter_node& fn) {
    bough::detail::or_terminate([&] { run_pipeline(context, max_token, fn); });
}

void set_end_of_input(d1::base_filter& bf) {
    abi::input_ended_by = &bf;
}

}  // namespace tbb::detail::r1
