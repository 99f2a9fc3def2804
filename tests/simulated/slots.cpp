// A slot changes hands while a thread waits for it. (A scenario that needs a worker in a certain slot does not hold: as
// with oneTBB, an application thread may sit on a worker's while one of its own is free again.)

#include "scenario.h"

namespace simulated {
namespace {

using bough::task_arena;

// An application thread waits for a slot, and the only worker, which is at work, waits for that thread.
void a_visitor_waits_for_a_slot(random_numbers& random) {
    set("2", "0");
    task_arena arena(2, 1);
    for (int round = 0; round < 10; ++round) {
        counter begun, visited;
        bough::task_group group;
        const int comes_after_ns = random.between(0, 10'000);
        std::thread visitor([&] {
            begun.wait_for(1);
            busy_for(comes_after_ns);
            arena.execute([&] { visited.add(); });
        });
        arena.execute([&] {
            group.run([&] {
                begun.add();
                visited.wait_for(1);
            });
            begun.wait_for(1);  // so that the worker has it
            busy_for(random.between(0, 20'000));
        });
        visitor.join();
        group.wait();
    }
}
const known a_visitor_waits_for_a_slot_is("a_visitor_waits_for_a_slot", a_visitor_waits_for_a_slot);

}  // namespace
}  // namespace simulated
