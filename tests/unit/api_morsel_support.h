#pragma once
// Runs a loop over morsels and checks all that morsels promise.

#include "unit/api_erased.h"

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

// Elements [first, last) at data, of `size` bytes each.
struct morsel_data {
    const char* data;
    std::size_t first, last;
    std::size_t size;
    const char* at(std::size_t i) const { return data + i * size; }
};

// What a loop over morsels of `all` does, in the order of the data. loop(body) runs body(first, last) for each morsel.
inline std::vector<morsel_piece>
check_morsels(const morsel_data& all, body_ref<void(body_ref<void(std::size_t, std::size_t)>)> loop) {
    std::mutex mutex;
    std::vector<morsel_piece> pieces;
    std::map<std::uintptr_t, std::thread::id> writer;
    int shared_lines = 0;
    visits seen(all.last);
    loop([&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            seen.hit(i);
        const std::lock_guard<std::mutex> lock(mutex);
        pieces.push_back({begin, end, std::this_thread::get_id()});
        for (auto l = line_of(all.at(begin)); begin < end; ++l) {
            const auto [at, fresh] = writer.emplace(l, std::this_thread::get_id());
            shared_lines += !fresh && at->second != std::this_thread::get_id() ? 1 : 0;
            if (l == line_of(all.at(end) - 1))
                break;
        }
    });
    EXPECT_EQ(shared_lines, 0) << "cache lines that two threads wrote";
    for (std::size_t i = all.first; i < all.last; ++i)
        if (seen.count(i) != 1) {
            ADD_FAILURE() << "element " << i << " was in " << seen.count(i) << " morsels";
            break;
        }
    std::sort(pieces.begin(), pieces.end(),
              [](const morsel_piece& a, const morsel_piece& b) { return a.first < b.first; });
    for (const morsel_piece& p : pieces) {
        EXPECT_LT(p.first, p.last) << "an empty morsel";
        EXPECT_GE(p.first, all.first);
        if (p.last != all.last) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.at(p.last)) % line, 0u)
                << "a morsel ends inside a cache line, at element " << p.last;
        }
    }
    return pieces;
}

// A loop over morsels of data[first, last). Returns its pieces in the order of the data.
template <class T>
std::vector<morsel_piece> check_morsels(T* data, std::size_t first, std::size_t last, std::size_t bytes,
                                        any_partitioner& how) {
    const morsel_data all{reinterpret_cast<const char*>(data), first, last, sizeof(T)};
    return check_morsels(all, [&](body_ref<void(std::size_t, std::size_t)> note) {
        for_range(
            bough::morsel_range<T>(data, first, last, bytes),
            [&](const bough::morsel_range<T>& m) {
                work_a_little(300);
                std::memset(static_cast<void*>(m.data() + m.begin()), 1, m.size() * sizeof(T));
                note(m.begin(), m.end());
            },
            how);
    });
}

}  // namespace bough_test
