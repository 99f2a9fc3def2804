// A loop of two units, argv[1] times, of which one is handed to an idle worker, that does not begin, and taken back.
// check.py counts.

#include <algorithm>

#include "idle_worker.h"

int main(int argc, char** argv) {
    const int times = argc > 1 ? std::atoi(argv[1]) : 1;
    bough_count::begin(0);  // every loop is worth a hand-off
    bough_count::idle_worker other;
    int handed = 0;
    for (int i = 0; i < times; ++i) {
        bough::parallel_for(0, 2, [](int) {});
        handed += other.waits_again();
    }
    return handed < times - times / 100 ? 1 : 0;  // but for those that learn what the loop costs
}
