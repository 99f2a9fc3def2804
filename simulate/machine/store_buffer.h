#pragma once
// The atomic stores of one core that memory does not show yet, oldest first. Plain stores take effect at once: in a
// program without data races no thread can see one before an atomic store that comes after it, and that atomic store
// waits here behind all that came before.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>

#include "description.h"

namespace simulate {

class store_buffer {
public:
    bool empty() const { return stores_.empty(); }
    picoseconds first_leaves() const { return stores_.front().leaves; }
    picoseconds last_leaves() const { return last_; }

    // Not before an older one: stores become visible in their order.
    void add(void* address, unsigned bytes, std::uint64_t value, picoseconds leaves) {
        last_ = leaves > last_ ? leaves : last_;
        stores_.push_back({address, bytes, value, last_});
    }
    // Plain stores are in memory, but an ordered operation waits for their lines.
    void wait_until(picoseconds leaves) { last_ = leaves > last_ ? leaves : last_; }

    void drain_until(picoseconds time) {
        while (!stores_.empty() && stores_.front().leaves <= time)
            pop();
    }
    void drain() {
        while (!stores_.empty())
            pop();
    }

    enum class covers { nothing, exactly, partly };
    // What a load of these bytes finds here; the newest store counts.
    covers look(const void* address, unsigned bytes, std::uint64_t& value) const {
        const auto from = reinterpret_cast<std::uintptr_t>(address);
        for (auto s = stores_.rbegin(); s != stores_.rend(); ++s) {
            const auto to = reinterpret_cast<std::uintptr_t>(s->address);
            if (to + s->bytes <= from || from + bytes <= to)
                continue;
            value = s->value;
            return to == from && s->bytes == bytes ? covers::exactly : covers::partly;
        }
        return covers::nothing;
    }

    bool has_some_in(const void* block, std::size_t bytes) const {
        const auto from = reinterpret_cast<std::uintptr_t>(block);
        for (const store& s : stores_)
            if (reinterpret_cast<std::uintptr_t>(s.address) - from < bytes)
                return true;
        return false;
    }

private:
    struct store {
        void* address;
        unsigned bytes;
        std::uint64_t value;
        picoseconds leaves;
    };
    void pop() {
        std::memcpy(stores_.front().address, &stores_.front().value, stores_.front().bytes);
        stores_.pop_front();
    }

    std::deque<store> stores_;
    picoseconds last_ = 0;
};

}  // namespace simulate
