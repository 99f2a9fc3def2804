// A thread sends one letter after the other to a worker (BOUGH_MAIL) that is wanted for something else as well.

#include "scenario.h"

namespace simulated {
namespace {

using priority = bough::task_arena::priority;

// The worker is requested by another arena, with or without a higher priority.
void letters_or_another_arena(random_numbers& random) {
    const bool is_higher = random.one_in(2);
    bough::task_arena here(2, 1, is_higher ? priority::low : priority::normal);
    bough::task_arena other(2, 1, is_higher ? priority::high : priority::normal);
    const int body_ns = random.one_in(3) ? 0 : random.between(100, 3000);
    std::atomic<bool> stop{false};
    std::thread asks([&] {
        for (int round = 0; round < 3; ++round) {
            pause(random, 100);
            counter came;
            other.enqueue([&] { came.add(); });
            came.wait_for(1);
        }
        stop = true;
    });
    here.execute([&] {
        const auto work = [&] { busy_for(body_ns); };
        while (!stop)
            bough::parallel_invoke(work, work);
    });
    asks.join();
}
const known letters_or_another_arena_is("letters_or_another_arena", letters_or_another_arena);

// A task that another thread of the same arena has published is left to that worker.
void letters_or_a_task(random_numbers& random) {
    bough::task_arena arena(3, 2);
    counter begun, ran;
    const int body_ns = random.between(0, 3000);
    std::atomic<bool> stop{false};
    std::thread sends([&] {
        arena.execute([&] {
            begun.add();
            const auto work = [&] { busy_for(body_ns); };
            while (!stop)
                bough::parallel_invoke(work, work);
        });
    });
    begun.wait_for(1);
    arena.execute([&] {
        pause(random, 100);
        bough::task_group group;
        for (int i = random.between(0, 3); i > 0; --i)
            group.run([] {});
        group.run([&] { ran.add(); });
        ran.wait_for(1);
        stop = true;
        group.wait();
    });
    sends.join();
}
const known letters_or_a_task_is("letters_or_a_task", letters_or_a_task);

// Tasks that take long pile up in the worker's mailbox while a higher priority requests it.
void letters_pile_up(random_numbers& random) {
    bough::task_arena low(2, 1, priority::low), high(2, 1, priority::high);
    std::atomic<bool> stop{false};
    std::thread asks([&] {
        pause(random, 100);
        high.enqueue([&] { stop = true; });
    });
    low.execute([&] {
        bough::task_group group;
        std::atomic<int> left{0};
        while (!stop)
            if (left.load() < 24) {
                ++left;
                group.run([&] {
                    busy_for(2000);
                    --left;
                });
            }
        group.wait();
    });
    asks.join();
}
const known letters_pile_up_is("letters_pile_up", letters_pile_up);

}  // namespace
}  // namespace simulated
