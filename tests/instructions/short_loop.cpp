// A short loop, argv[1] times, beside an idle worker: published, not handed off, and not helped. check.py counts.

#include "idle_worker.h"

int main(int argc, char** argv) {
    const int times = argc > 1 ? std::atoi(argv[1]) : 1;
    bough_count::begin(~0u);  // no loop is worth a hand-off
    bough_count::idle_worker other;
    int handed = 0;
    for (int i = 0; i < times; ++i) {
        bough::parallel_for(0, 16, [](int) {});
        handed += other.waits_again();
    }
    return handed;
}
