#pragma once
// What a loop writes, and how large its pieces are where a way has a grain.

#include <algorithm>
#include <cstddef>

namespace bench::morsels {

struct written {
    std::size_t elements;
    std::size_t bytes_of_each;
};

// The same ranges with a grain: eight pieces or more for each thread. They end anywhere in a line.
template <class Line, class Plane>
class with_pieces {
public:
    with_pieces(written w, int threads)
        : grain_(std::max<std::size_t>(w.elements / (8 * static_cast<std::size_t>(threads)), 1)) {}
    Line of(const Line& range) const { return Line(range.begin(), range.end(), grain_); }
    Plane of(const Plane& range) const {
        const auto& rows = range.rows();
        const auto& cols = range.cols();
        const std::size_t width = std::max<std::size_t>(std::min(grain_, cols.size()), 1);
        return Plane(rows.begin(), rows.end(), grain_ / width, cols.begin(), cols.end(), width);
    }

private:
    std::size_t grain_;
};

}  // namespace bench::morsels
