#pragma once
// When each of P units began, after a call. A unit waits until all have begun.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include "runtime.h"

class starts {
public:
    explicit starts(unsigned units) : at_(units) {}

    unsigned units() const { return static_cast<unsigned>(at_.size()); }
    void begin_round() {
        present_.value.store(0);
        call_ = runtime::now_ns();
    }
    void begin(std::size_t unit) {
        at_[unit].ns = runtime::now_ns();
        present_.value.fetch_add(1, std::memory_order_release);
        while (present_.value.load(std::memory_order_acquire) != units())
            runtime::pause();
    }
    // A line "NAME NS": when the last one began. And one of all in their order: "starts NAME NS NS ...".
    void print(const char* name) const {
        std::vector<double> all;
        for (const stamp& s : at_)
            all.push_back(s.ns - call_);
        std::sort(all.begin(), all.end());
        std::printf("%s %.1f\nstarts %s", name, all.back(), name);
        for (const double ns : all)
            std::printf(" %.0f", ns);
        std::printf("\n");
    }

private:
    struct alignas(128) stamp {
        double ns = 0;
    };
    std::vector<stamp> at_;
    struct alignas(128) {
        std::atomic<unsigned> value{0};
    } present_;
    double call_ = 0;
};
