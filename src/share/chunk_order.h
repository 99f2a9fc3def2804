#pragma once
// The order of the chunks in a replay of an affinity_partitioner's loop. The chunks that one member of the team ran the
// last time lie together: the caller's first, then the members' in their order. Pure. prediction.md "Affinity".

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <numeric>
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
        bool in_order = false;
        places next = sizes_of_shares(slots, chunks, rank, count, &in_order);
        if (std::find(next.begin(), next.begin() + count + 1, 0u) != next.begin() + count + 1)
            return false;
        turn_into_places(next, count);
        if (!in_order) {
            if (!make_room(chunks))
                return false;
            places of_next_chunk = next;
            each_run(slots, chunks, [&](std::uint16_t its, std::uint32_t first, std::uint32_t last) {
                std::uint32_t& place = of_next_chunk[rank.of(its)];
                std::iota(room() + place, room() + place + (last - first), static_cast<std::uint16_t>(first));
                place += last - first;
            });
            order_ = room();
        }
        has_shares_ = true;
        return true;
    }

    std::uint32_t at(std::uint32_t place) const { return order_ ? order_[place] : place; }

    bool has_shares() const { return has_shares_; }
    // Where a member's share begins. It ends where the next member's share begins.
    std::uint32_t share_begin(std::uint32_t member) const { return begins_[member]; }

private:
    // One number for each share: the caller's, the members' in their order, and no member's.
    using places = std::array<std::uint32_t, max_members + 2>;

    // The share that a slot's chunks belong to: 0 is the caller's, i + 1 that of member i, count + 1 no member's.
    class ranks {
    public:
        ranks(std::uint16_t caller, const std::uint16_t* members, std::uint32_t count)
            : caller_(caller), members_(members), count_(count) {}

        // count + 1 for a slot that does not wait, and that no member replaces.
        std::uint32_t of(std::uint16_t slot) {
            if (slot == caller_)
                return 0;
            if (const std::uint32_t rank = of_member(slot); rank <= count_ || !replaces_.any())
                return rank;
            for (std::uint32_t rank = 1; rank <= count_; ++rank) {
                if (replaces_[rank] && replaced_[rank - 1] == slot)
                    return rank;
            }
            return count_ + 1;
        }

        // Lets a member with an empty share replace a slot that does not wait. Returns the rank that the slot has now.
        std::uint32_t replace(std::uint16_t slot, const places& sizes) {
            std::uint32_t rank = 1;
            while (rank <= count_ && (sizes[rank] != 0 || replaces_[rank]))
                ++rank;
            if (rank <= count_) {
                replaces_.set(rank);
                replaced_[rank - 1] = slot;
            }
            return rank;
        }

    private:
        // The search goes on where the last one ended: neighbouring chunks mostly belong to neighbouring members.
        std::uint32_t of_member(std::uint16_t slot) {
            const std::uint16_t *const last_end = members_ + searched_, *const end = members_ + count_;
            const std::uint16_t* at = std::find(last_end, end, slot);
            if (at == end && (at = std::find(members_, last_end, slot)) == last_end)
                return count_ + 1;
            searched_ = static_cast<std::uint32_t>(at - members_) + 1;
            return searched_;
        }

        const std::uint16_t caller_;
        const std::uint16_t* const members_;
        const std::uint32_t count_;
        std::uint32_t searched_ = 0;
        std::bitset<max_members + 1> replaces_;
        std::array<std::uint16_t, max_members> replaced_;
    };

    // Calls see(slot, first, last) for each row of neighbouring chunks that one slot ran.
    template <class See>
    static void each_run(const std::uint16_t* slots, std::uint32_t chunks, See&& see) {
        for (std::uint32_t first = 0, last = 0; first < chunks; first = last) {
            const std::uint16_t its = slots[first];
            // Four at a time: the caller reads them all before it hands anything out.
            const std::uint64_t four = its * 0x0001'0001'0001'0001u;
            for (std::uint64_t next; last + 4 <= chunks; last += 4) {
                std::memcpy(&next, slots + last, sizeof next);
                if (next != four)
                    break;
            }
            while (last < chunks && slots[last] == its)
                ++last;
            see(its, first, last);
        }
    }

    // How many chunks each share has. *in_order: the shares follow each other in the order of the loop.
    static places sizes_of_shares(const std::uint16_t* slots, std::uint32_t chunks, ranks& rank,
                                  std::uint32_t count, bool* in_order) {
        places sizes{};
        std::uint32_t before = 0;
        *in_order = true;
        each_run(slots, chunks, [&](std::uint16_t its, std::uint32_t first, std::uint32_t last) {
            const std::uint32_t r = rank.of(its);
            sizes[r] += last - first;
            *in_order = *in_order && before <= r;
            before = r;
        });
        if (sizes[count + 1] == 0)
            return sizes;
        *in_order = false;
        places all{};
        each_run(slots, chunks, [&](std::uint16_t its, std::uint32_t first, std::uint32_t last) {
            const std::uint32_t r = rank.of(its);
            all[r <= count ? r : rank.replace(its, sizes)] += last - first;
        });
        return all;
    }

    // Turns the sizes of the shares into their first places: the caller's, no member's, then the members'.
    void turn_into_places(places& next, std::uint32_t count) {
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
