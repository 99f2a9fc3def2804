#pragma once
// Jacobi steps over a square plate: each writes one array from its neighbours' values in the other.

#include <cstddef>

#include "morsels/array.h"

namespace bench::morsels {

template <class Loop>
class heat {
public:
    static constexpr const char* name = "heat";
    static constexpr std::size_t usual_size = 1024;  // rows, and columns

    explicit heat(std::size_t size)
        : size_(size), now_(size * size), next_(size * size), loop_({size * size, sizeof(double)}) {
        clear();
        for (int s = 0; s != steps; ++s) {
            step(inside());
            now_.swap(next_);
        }
        expected_ = now_;
    }
    void clear() {
        for (std::size_t i = 0; i != now_.size(); ++i)
            now_[i] = next_[i] = static_cast<double>(i % 97);
    }
    void run() {
        for (int s = 0; s != steps; ++s) {
            loop_.over(inside(), [this](const auto& r) { this->step(r); });
            now_.swap(next_);
        }
    }
    bool is_right() const { return now_ == expected_; }

private:
    static constexpr int steps = 4;

    plane inside() const { return {1, size_ - 1, 1, size_ - 1}; }
    template <class Range>
    void step(const Range& r) {
        const double* const now = now_.data();
        for (std::size_t row = r.rows().begin(); row < r.rows().end(); ++row)
            for (std::size_t col = r.cols().begin(); col < r.cols().end(); ++col) {
                const std::size_t i = row * size_ + col;
                next_[i] = (now[i - size_] + now[i - 1] + now[i + 1] + now[i + size_]) / 4;
            }
    }

    std::size_t size_;
    array<double> now_, next_, expected_;
    Loop loop_;
};

}  // namespace bench::morsels
