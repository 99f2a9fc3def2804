// Bodies and tasks that wait for each other: all threads must come, whatever they were about to do.

#include "scenario.h"

namespace simulated {
namespace {

// After pauses that let workers look, leave and sleep.
void loops_meet(random_numbers& random) {
    const int threads = allowed_threads();
    for (int round = 0; round < 20; ++round) {
        pause(random, random.one_in(3) ? 100 : 10);
        const int parties = random.between(1, threads);
        meeting all(parties);
        bough::parallel_for(0, parties, [&](int) { all.arrive_and_wait(); });
    }
}
const known loops_meet_is("loops_meet", loops_meet);

void tasks_meet(random_numbers& random) {
    const int threads = allowed_threads();
    for (int round = 0; round < 15; ++round) {
        pause(random, 20);
        meeting all(threads);
        bough::task_group group;
        for (int i = 1; i < threads; ++i) {
            group.run([&] { all.arrive_and_wait(); });
            if (random.one_in(3))
                pause(random, 10);
        }
        if (random.one_in(2))
            all.arrive_and_wait();
        else
            group.run([&] { all.arrive_and_wait(); });
        group.wait();
    }
}
const known tasks_meet_is("tasks_meet", tasks_meet);

// The others have looked, found nothing and gone to sleep when they are needed.
void late_meeting(random_numbers& random) {
    const int threads = allowed_threads();
    for (int round = 0; round < 12; ++round) {
        meeting all(threads);
        bough::parallel_for(0, 1, [&](int) {
            pause(random, 30);
            bough::parallel_for(0, threads, [&](int) { all.arrive_and_wait(); });
        });
    }
}
const known late_meeting_is("late_meeting", late_meeting);

// The caller sleeps in a wait when a worker starts a loop that needs all threads, the caller too.
void sleeping_callers_are_called(random_numbers& random) {
    const int threads = allowed_threads();
    for (int round = 0; round < 12; ++round) {
        meeting all(threads);
        counter begun;
        bough::task_group group;
        group.run([&] {
            begun.add();
            pause(random, 40);
            if (random.one_in(2)) {
                bough::parallel_for(0, threads, [&](int) { all.arrive_and_wait(); });
                return;
            }
            bough::task_group inner;
            for (int i = 1; i < threads; ++i)
                inner.run([&] { all.arrive_and_wait(); });
            all.arrive_and_wait();
            inner.wait();
        });
        if (round % 2 == 0)
            begun.wait_for(1);  // so that a worker has it
        group.wait();
    }
}
const known sleeping_callers_are_called_is("sleeping_callers_are_called", sleeping_callers_are_called);

// A limit that grows calls threads for what is there already.
void a_limit_grows(random_numbers& random) {
    const int threads = allowed_threads();
    for (int round = 0; round < 8; ++round) {
        meeting all(threads);
        counter begun;
        bough::task_group group;
        {
            const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
            for (int i = 1; i < threads; ++i)
                group.run([&] {
                    begun.add();
                    all.arrive_and_wait();
                });
            pause(random, 40);
        }
        all.arrive_and_wait();
        group.wait();
    }
}
const known a_limit_grows_is("a_limit_grows", a_limit_grows);

// Each piece of a loop starts a loop whose bodies meet in pairs with those of others.
void pairs_in_nested_loops(random_numbers& random) {
    if (allowed_threads() < 2)
        return;
    for (int round = 0; round < 8; ++round) {
        pause(random, 10);
        meeting both(2);
        visits seen(40);
        bough::parallel_for(0, 2, [&](int i) {
            both.arrive_and_wait();
            bough::parallel_for(0, 20, [&](int k) { seen.hit(i * 20 + k); });
        });
        seen.check_each(1);
    }
}
const known pairs_in_nested_loops_is("pairs_in_nested_loops", pairs_in_nested_loops);

}  // namespace
}  // namespace simulated
