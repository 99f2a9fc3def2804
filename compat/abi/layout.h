#pragma once
// Where this library keeps its own in the objects that oneTBB's headers lay out, and the checks that they are laid out
// so. Programs built with any header set from 2021 on pass these objects to us; a header set in which one of these
// differs does not compile here.

#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <bough/detail/task.h>

#include <cstddef>
#include <cstdint>
#include <new>

namespace tbb::detail::r1 {

// A task: vtable, traits, and six reserved words. The first four hold the core's header, so that queues hold one type;
// then the context, then where the task was spawned and where it wants to run.
struct task_accessor {
    using header = bough::detail::task;
    struct origin {
        d1::slot_id spawned_in;
        d1::slot_id affinity;
    };

    static constexpr std::size_t words = sizeof(d1::task::m_reserved) / sizeof(std::uint64_t);
    static constexpr std::size_t header_words = sizeof(header) / sizeof(std::uint64_t);
    static constexpr std::size_t offset = sizeof(d1::task) - sizeof(d1::task::m_reserved);
    static_assert(words == 6 && offset == 16 && sizeof(d1::task) == 64);
    static_assert(header_words == 4 && alignof(header) <= alignof(std::uint64_t));
    static_assert(sizeof(origin) <= sizeof(std::uint64_t));

    static header& prepare(d1::task& t, d1::task_group_context& context, origin o) {
        std::uint64_t* const reserved = t.m_reserved;
        new (reserved + header_words) d1::task_group_context*(&context);
        new (reserved + header_words + 1) origin(o);
        return *new (reserved) header;
    }
    static const void* vtable(const d1::task& t) { return *reinterpret_cast<const void* const*>(&t); }
    static d1::task& task_of(header& h) {
        return *reinterpret_cast<d1::task*>(reinterpret_cast<char*>(&h) - offset);
    }
    static d1::task_group_context& context(d1::task& t) {
        return **std::launder(reinterpret_cast<d1::task_group_context**>(&t.m_reserved[header_words]));
    }
    static origin& origin_of(d1::task& t) {
        return *std::launder(reinterpret_cast<origin*>(&t.m_reserved[header_words + 1]));
    }
};

// The count of unfinished tasks that header code changes and this library waits for.
class task_dispatcher {
public:
    static_assert(sizeof(d1::wait_context) == 16);

    // seq_cst: pairs with the read-modify-write before notify_waiters(); see bough::detail::work_until.
    static bool is_done(const void* wait_context) {
        return static_cast<const d1::wait_context*>(wait_context)
                   ->m_ref_count.load(std::memory_order_seq_cst) == 0;
    }
};

}  // namespace tbb::detail::r1
