// parallel_invoke of two empty functions, argv[1] times, by one thread: nothing is ever stolen. check.py counts.

#include <cstdlib>

#include <bough/bough.h>

int main(int argc, char** argv) {
    const int times = argc > 1 ? std::atoi(argv[1]) : 1;
    for (int i = 0; i < times; ++i)
        bough::parallel_invoke([] {}, [] {});
}
