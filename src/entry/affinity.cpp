// affinity_partitioner: chunks as tasks, mailed to the slot that ran them the last time.

#include <vector>

#include "bough/context.h"
#include "bough/detail/affinity_loop.h"
#include "bough/detail/task.h"
#include "profile/tuning.h"
#include "share/prediction.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

using detail::loop_job;
using detail::unit;

struct chunk_task : task {
    loop_job* job;
    unit first;
    unit last;
    std::uint16_t* slot_of;

    void set(loop_job& j, detail::task_group_state& g, unit from, unit to, std::uint16_t* record) {
        job = &j;
        first = from;
        last = to;
        slot_of = record;
        group = &g;
        run = [](task& t, bool cancelled) {
            auto& self = static_cast<chunk_task&>(t);
            *self.slot_of = this_slot().index;
            if (cancelled)
                return;
            // The first chunk continues the caller's own accumulator: nobody else has it.
            void* accumulator =
                self.job->fork && self.first != 0 ? self.job->fork(*self.job, self.first) : nullptr;
            self.job->run(*self.job, accumulator, self.first, self.last);
        };
    }
};

}  // namespace

void detail::run_affinity_chunks(loop_job& job, std::uint16_t* slots, std::size_t chunks, bool replay) {
    slot& s = this_slot();
    const prediction guess(*job.site, job.units ? job.units : 1);
    const tuning& t = process_tuning();
    // The first loop of a site is measured; one that is over before a task has reached another thread has no affinity
    // to keep.
    if (chunks < 2 || s.home.concurrency() == 1 || !guess.is_known() ||
        guess.total_ticks() < 4 * static_cast<double>(t.handoff))
        return run_loop(job);

    std::vector<chunk_task> tasks(chunks);  // may throw: before anything is bound
    task_group_state group;
    const bound_node bound(group.node, job.context, s.scope);
    group.fp_settings = s.fp_settings;
    const unit each = job.units / chunks, longer = job.units % chunks;
    unit last = job.units;
    for (std::size_t k = chunks; k-- > 0;) {
        const unit first = last - each - (k < longer ? 1 : 0);
        tasks[k].set(job, group, first, last, &slots[k]);
        const std::uint16_t preferred = replay ? slots[k] : s.index;
        spawn_mailed(s, tasks[k], {&preferred, 1});
        last = first;
    }
    wait(group);
    if (!group.node.is_stopped())
        return;
    job.node.stop();
    if (job.context)
        job.context->cancel_group_execution();
    if (group.error)
        std::rethrow_exception(std::move(group.error));
}

}  // namespace bough
