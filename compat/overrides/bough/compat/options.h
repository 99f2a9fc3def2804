#pragma once
// The tail of oneTBB's algorithms, [partitioner][, task_group_context&], and what becomes of it. For the overrides
// only. Partitioners map to bough's of the same name; a loop with a context stays with oneTBB.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <bough/morsel.h>
#include <bough/partitioner.h>

#include "../../oneapi/tbb/cache_aligned_allocator.h"
#include "../../oneapi/tbb/partitioner.h"
#include "../../oneapi/tbb/task_group.h"

namespace bough::compat::detail {

namespace onetbb = tbb::detail::d1;

// --- affinity: the map lives in the two private words of the user's partitioner, which frees it --------------------

// An explicit instantiation may name private members; a layout that changed does not compile.
template <class Key, typename Key::member_type Member>
struct open_member {
    friend constexpr typename Key::member_type opened(Key) { return Member; }
};
struct map_key {
    using member_type = onetbb::slot_id* onetbb::affinity_partitioner_base::*;
    friend constexpr member_type opened(map_key);
};
struct size_key {
    using member_type = std::size_t onetbb::affinity_partitioner_base::*;
    friend constexpr member_type opened(size_key);
};
template struct open_member<map_key, &onetbb::affinity_partitioner_base::my_array>;
template struct open_member<size_key, &onetbb::affinity_partitioner_base::my_size>;

// Lends the map to a bough partitioner for one loop.
class affinity_loan {
public:
    explicit affinity_loan(tbb::affinity_partitioner& owner)
        : owner_((onetbb::affinity_partitioner_base&)owner),  // a private base: only this cast reaches it
          native({map(), size(), resize}) {}
    affinity_loan(const affinity_loan&) = delete;
    affinity_loan& operator=(const affinity_loan&) = delete;
    ~affinity_loan() {
        map() = native.map().slots;
        size() = native.map().count;
    }

private:
    onetbb::affinity_partitioner_base& owner_;

public:
    bough::affinity_partitioner native;

private:
    static_assert(sizeof(onetbb::slot_id) == sizeof(std::uint16_t), "a slot of oneTBB is a slot of bough");

    onetbb::slot_id*& map() { return owner_.*opened(map_key{}); }
    std::size_t& size() { return owner_.*opened(size_key{}); }

    // By the allocator with which the owner frees it.
    static bool resize(bough::detail::chunk_map& map, std::size_t chunks) noexcept {
        void* fresh = nullptr;
        try {
            fresh = tbb::detail::r1::cache_aligned_allocate(chunks * sizeof(onetbb::slot_id));
        } catch (...) {
            return false;
        }
        if (map.slots)
            tbb::detail::r1::cache_aligned_deallocate(map.slots);
        map.slots = static_cast<onetbb::slot_id*>(fresh);
        map.count = chunks;
        return true;
    }
};

// --- mapping --------------------------------------------------------------------------------------------------------

template <class Go>
void with_native(const tbb::auto_partitioner&, Go&& go) {
    const bough::auto_partitioner p;
    go(p);
}
template <class Go>
void with_native(const tbb::simple_partitioner&, Go&& go) {
    const bough::simple_partitioner p;
    go(p);
}
template <class Go>
void with_native(const tbb::static_partitioner&, Go&& go) {
    const bough::static_partitioner p;
    go(p);
}
template <class Go>
void with_native(tbb::affinity_partitioner& owner, Go&& go) {
    affinity_loan loan(owner);
    go(loan.native);
}
// bough's own, which oneTBB has nothing like.
template <class Go>
void with_native(const bough::morsel_partitioner& p, Go&& go) {
    go(p);
}
// Refused by has_context().
template <class Go>
void with_native(const bough::morsel_partitioner& p, const tbb::task_group_context&, Go&& go) {
    go(p);
}
template <class Go>
void with_native(Go&& go) {
    with_native(__TBB_DEFAULT_PARTITIONER(), go);
}

// --- which tails are allowed ----------------------------------------------------------------------------------------

std::true_type binds_partitioner(const tbb::auto_partitioner&);
std::true_type binds_partitioner(const tbb::simple_partitioner&);
std::true_type binds_partitioner(const tbb::static_partitioner&);
std::true_type binds_partitioner(tbb::affinity_partitioner&);
std::true_type binds_partitioner(const bough::morsel_partitioner&);
std::true_type binds_context(tbb::task_group_context&);

template <class Option, class = void>
inline constexpr bool is_partitioner = false;
template <class Option>
inline constexpr bool is_partitioner<Option, decltype(void(binds_partitioner(std::declval<Option>())))> =
    true;

template <class Option, class = void>
inline constexpr bool is_context = false;
template <class Option>
inline constexpr bool is_context<Option, decltype(void(binds_context(std::declval<Option>())))> = true;

template <class... Options>
inline constexpr bool are_options = sizeof...(Options) == 0;
template <class Option>
inline constexpr bool are_options<Option> = is_partitioner<Option> || is_context<Option>;
template <class First, class Second>
inline constexpr bool are_options<First, Second> = is_partitioner<First> && is_context<Second>;

template <class... Options>
using if_options = std::enable_if_t<are_options<Options...>, int>;

template <class Option>
inline constexpr bool is_morsel_partitioner = std::is_convertible_v<Option, const bough::morsel_partitioner&>;

template <class Option>
constexpr void refuse_morsels() {
    static_assert(
        !is_morsel_partitioner<Option>,
        "bough: in a tbb:: loop a morsel_partitioner cuts oneTBB's blocked_range, blocked_range2d or "
        "blocked_range3d");
}

// A loop with a context is oneTBB's.
template <class... Options>
constexpr bool has_context() {
    constexpr bool has = (is_context<Options> || ...), has_morsels = (is_morsel_partitioner<Options> || ...);
    static_assert(
        !has || !has_morsels,
        "bough: a tbb:: loop takes a morsel_partitioner or a task_group_context, not both; bough:: loops "
        "take both");
    return has && !has_morsels;  // else oneTBB's templates would add pages to the message
}

}  // namespace bough::compat::detail
