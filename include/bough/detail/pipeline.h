#pragma once
// How the pipeline's templates call the library: with a job, which is a list of filters with erased types, and which
// run_pipeline() runs (exports/pipeline.h).

#include <cstddef>
#include <cstdint>
#include <exception>

#include "../exports/pipeline.h"
#include "cancel_node.h"

namespace bough {

enum class filter_mode : std::uint8_t {
    parallel,            // any number of items at a time
    serial_in_order,     // one at a time; all such filters see the items in the same order
    serial_out_of_order  // one at a time, in the order in which they come
};

namespace detail {

struct pipeline_filter {
    // Makes an item in `out` from the item `in`, and destroys `in`. `in` is null for the first filter. The last filter
    // makes no item. If the call throws, `in` is not destroyed. The first filter only returns false: the input has
    // ended, and no item was made.
    using call_function = bool (*)(const pipeline_filter&, void* in, void* out);
    // Destroys an item that this filter will not be called with.
    using drop_function = void (*)(const pipeline_filter&, void* in) noexcept;

    call_function call;
    drop_function drop = nullptr;  // null: items need no destruction
    filter_mode mode;
    std::size_t out_size = 0;  // of the items that it makes
    std::size_t out_alignment = 1;
};

struct pipeline_job {
    const pipeline_filter* const* filters = nullptr;  // at least one
    std::size_t filter_count = 0;
    std::size_t max_live_tokens = 1;  // not 0

    cancel_node node;               // the caller has put the node below its scope
    std::uint64_t fp_settings = 0;  // what the filters compute with; 0: as the arena's workers do
    std::exception_ptr error;       // the library's: the first that a filter threw; read after run_pipeline()
};

}  // namespace detail
}  // namespace bough
