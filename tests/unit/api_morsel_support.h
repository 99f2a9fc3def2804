#pragma once
// Runs a loop over morsels and checks all that morsels promise.

#include "unit/api_support.h"

#include <cstring>
#include <map>

namespace bough_test {

inline constexpr std::size_t line = 64;

struct morsel_piece {
    std::size_t first, last;
    std::thread::id by;
};

inline std::uintptr_t line_of(const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) / line;
}

// A loop over morsels of data[first, last). Returns its pieces in the order of the data.
template <class T, class Partitioner>
std::vector<morsel_piece> check_morsels(T* data, std::size_t first, std::size_t last, std::size_t bytes,
                                        Partitioner& how) {
    std::mutex mutex;
    std::vector<morsel_piece> pieces;
    std::map<std::uintptr_t, std::thread::id> writer;
    int shared_lines = 0;
    visits seen(last);
    bough::parallel_for(
        bough::morsel_range<T>(data, first, last, bytes),
        [&](const bough::morsel_range<T>& m) {
            bough_test::work_a_little(300);
            for (std::size_t i = m.begin(); i < m.end(); ++i) {
                std::memset(static_cast<void*>(m.data() + i), 1, sizeof(T));
                seen.hit(i);
            }
            const std::lock_guard<std::mutex> lock(mutex);
            pieces.push_back({m.begin(), m.end(), std::this_thread::get_id()});
            for (auto l = line_of(m.data() + m.begin()); m.begin() < m.end(); ++l) {
                const auto [at, fresh] = writer.emplace(l, std::this_thread::get_id());
                shared_lines += !fresh && at->second != std::this_thread::get_id() ? 1 : 0;
                if (l == line_of(reinterpret_cast<const char*>(m.data() + m.end()) - 1))
                    break;
            }
        },
        how);
    EXPECT_EQ(shared_lines, 0) << "cache lines that two threads wrote";
    for (std::size_t i = first; i < last; ++i)
        if (seen.count(i) != 1) {
            ADD_FAILURE() << "element " << i << " was in " << seen.count(i) << " morsels";
            break;
        }
    std::sort(pieces.begin(), pieces.end(),
              [](const morsel_piece& a, const morsel_piece& b) { return a.first < b.first; });
    for (const morsel_piece& p : pieces) {
        EXPECT_LT(p.first, p.last) << "an empty morsel";
        EXPECT_GE(p.first, first);
        if (p.last != last) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data + p.last) % line, 0u)
                << "a morsel ends inside a cache line, at element " << p.last;
        }
    }
    return pieces;
}

}  // namespace bough_test
