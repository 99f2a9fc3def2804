// One thread gives a task to a group and then does something else; another thread waits for the group. Meant for one
// CPU, where oneTBB starts no worker: there the wait never ends. An ordinary oneTBB program.
#include <tbb/task_group.h>

#include <cstdio>
#include <future>
#include <thread>

int main() {
    tbb::task_group group;
    std::promise<void> handed_over, finished;
    int answer = 0;
    std::thread other([&] {
        group.run([&] { answer = 42; });
        handed_over.set_value();
        finished.get_future().wait();  // what it does besides
    });
    handed_over.get_future().wait();
    group.wait();
    finished.set_value();
    other.join();
    std::printf("checksum %d\n", answer);
}
