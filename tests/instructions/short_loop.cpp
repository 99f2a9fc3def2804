// A short loop, argv[1] times, beside an idle worker: published, not handed off, and not helped. check.py counts.

#include "idle_worker.h"

int main(int argc, char** argv) {
    const int times = argc > 1 ? std::atoi(argv[1]) : 1;
    bough_count::begin(~0u);  // no loop is worth a hand-off
    bough_count::idle_worker other;
    const auto run = [&other] {
        bough::parallel_for(0, 16, [](int) {});
        return other.waits_again();
    };
    run();  // nothing is known of a call site's first loop, so it is handed off
    int handed = 0;
    for (int i = 0; i < times; ++i)
        handed += run();
    return handed;
}
