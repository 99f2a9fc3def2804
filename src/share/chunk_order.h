#pragma once
// The order of the chunks in a replay of an affinity_partitioner's loop. The chunks that one member of the team ran the
// last time lie together: the caller's first, then the members' in their order. Pure. prediction.md "Affinity".

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

namespace bough {

class chunk_order {
public:
    static constexpr std::uint32_t max_members = 63;  // three arrays of so many numbers lie on the stack

    // slots[k] is the slot that ran chunk k the last time. `members` are slots that wait for work. The chunks of a slot
    // that does not wait now go to a member that ran none. If there is no such member, they lie behind the caller's own
    // chunks, where they are stolen first. False if the caller or a member would get no chunks, or if there is no
    // memory: then the order is that of the loop, and there are no shares.
    bool make(const std::uint16_t* slots, std::uint32_t chunks, std::uint16_t caller,
              const std::uint16_t* members, std::uint32_t count) {
        ranks rank(caller, members, count);
        each_run(slots, chunks, [&](std::uint16_t its, std::uint32_t, std::uint32_t) { rank.saw(its); });
        std::array<std::uint32_t, max_members + 2> next{};
        each_run(slots, chunks, [&](std::uint16_t its, std::uint32_t first, std::uint32_t last) {
            next[rank.of(its)] += last - first;
        });
        if (!rank.all_have_chunks() || !make_room(chunks))
            return false;
        share(next, count);
        bool is_moved = false;
        each_run(slots, chunks, [&](std::uint16_t its, std::uint32_t first, std::uint32_t last) {
            std::uint32_t& place = next[rank.of(its)];
            is_moved = is_moved || place != first;
            for (std::uint32_t chunk = first; chunk < last; ++chunk)
                room()[place++] = static_cast<std::uint16_t>(chunk);
        });
        order_ = is_moved ? room() : nullptr;
        has_shares_ = true;
        return true;
    }

    std::uint32_t at(std::uint32_t place) const { return order_ ? order_[place] : place; }

    bool has_shares() const { return has_shares_; }
    // Where a member's share begins. It ends where the next member's share begins.
    std::uint32_t share_begin(std::uint32_t member) const { return begins_[member]; }

private:
    // The share that a slot's chunks belong to: 0 is the caller's, i + 1 that of member i.
    class ranks {
    public:
        ranks(std::uint16_t caller, const std::uint16_t* members, std::uint32_t count)
            : caller_(caller), members_(members), count_(count) {}

        void saw(std::uint16_t slot) {
            if (const std::uint32_t rank = of_present(slot); rank <= count_)
                has_chunks_.set(rank);
        }
        // Asked after saw() was told all slots. Gives the same answer for a slot each time. count_ + 1: no member's.
        std::uint32_t of(std::uint16_t slot) {
            std::uint32_t rank = of_present(slot);
            if (rank <= count_)
                return rank;
            const auto serves = [&](std::uint32_t r) {
                return replaces_[r] ? replaced_[r - 1] == slot : !has_chunks_[r];
            };
            for (rank = 1; rank <= count_ && !serves(rank); ++rank) {
            }
            if (rank <= count_) {
                has_chunks_.set(rank);
                replaces_.set(rank);
                replaced_[rank - 1] = slot;
            }
            return rank;
        }
        bool all_have_chunks() const { return has_chunks_.count() == count_ + 1; }

    private:
        std::uint32_t of_present(std::uint16_t slot) const {
            if (slot == caller_)
                return 0;
            return 1 + static_cast<std::uint32_t>(std::find(members_, members_ + count_, slot) - members_);
        }

        const std::uint16_t caller_;
        const std::uint16_t* const members_;
        const std::uint32_t count_;
        std::bitset<max_members + 1> has_chunks_, replaces_;
        std::array<std::uint16_t, max_members> replaced_;
    };

    // Calls see(slot, first, last) for each row of neighbouring chunks that one slot ran.
    template <class See>
    static void each_run(const std::uint16_t* slots, std::uint32_t chunks, See&& see) {
        for (std::uint32_t first = 0, last = 0; first < chunks; first = last) {
            const std::uint16_t its = slots[first];
            while (last < chunks && slots[last] == its)
                ++last;
            see(its, first, last);
        }
    }

    // Turns the sizes of the shares into their first places: the caller's, no member's, then the members'.
    void share(std::array<std::uint32_t, max_members + 2>& next, std::uint32_t count) {
        std::uint32_t begin = next[0];
        next[0] = 0;
        begin += std::exchange(next[count + 1], begin);
        for (std::uint32_t i = 0; i < count; ++i) {
            begins_[i] = static_cast<std::uint16_t>(begin);
            begin += std::exchange(next[i + 1], begin);
        }
    }

    bool make_room(std::uint32_t chunks) {
        if (chunks > few_.size())
            many_.reset(new (std::nothrow) std::uint16_t[chunks]);
        return chunks <= few_.size() || many_;
    }
    std::uint16_t* room() { return many_ ? many_.get() : few_.data(); }

    const std::uint16_t* order_ = nullptr;  // the chunk at each place; null: each in its own place
    bool has_shares_ = false;
    std::array<std::uint16_t, max_members> begins_;
    std::array<std::uint16_t, 256> few_;
    std::unique_ptr<std::uint16_t[]> many_;
};

}  // namespace bough
