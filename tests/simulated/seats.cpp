// A seat changes hands while a thread waits for it. (A scenario that needs a worker on a certain seat does not hold: as
// with oneTBB, an application thread may sit on a worker's while one of its own is free again.)

#include "scenario.h"

namespace simulated {
namespace {

using bough::task_arena;

// An application thread waits for a seat, and the only worker, which is at work, waits for that thread.
void a_visitor_waits_for_a_seat(random_numbers& random) {
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
const known a_visitor_waits_for_a_seat_is("a_visitor_waits_for_a_seat", a_visitor_waits_for_a_seat);

}  // namespace
}  // namespace simulated
