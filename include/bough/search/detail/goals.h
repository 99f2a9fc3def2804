#pragma once
// What a search is after: an enumeration, an optimum, or a decision. A goal says which nodes to leave out, and takes
// note of those that are visited; any thread calls it. What a worker gathers for itself is the goal's `part`.

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "../../config.h"
#include "../options.h"
#include "incumbent.h"
#include "outside.h"

namespace bough::search::detail {

template <class Space, class = void>
struct has_bound : std::false_type {};
template <class Space>
struct has_bound<Space, std::void_t<decltype(std::declval<const Space&>().bound(
                            std::declval<const typename Space::node&>()))>> : std::true_type {};

template <class Space, class = void>
struct has_falling_bounds : std::false_type {};
template <class Space>
struct has_falling_bounds<Space, std::void_t<decltype(Space::bounds_fall)>>
    : std::bool_constant<Space::bounds_fall> {};

template <class Space, class Monoid>
class enumeration {
public:
    using node = typename Space::node;
    using part = Monoid;
    static constexpr bool prunes_siblings = false;

    enumeration(const Space& space, const Monoid& identity)
        : space_(space), total_(identity), identity_(identity) {}

    part fresh() const { return identity_; }
    bool prunes(const node&) const { return false; }
    // False if the search has its answer.
    bool visit(part& p, counters&, const node& n, unsigned depth) const {
        p.visit(space_, n, depth);
        return true;
    }
    void take_bound(std::int64_t) const {}
    void join(part&& p) { total_.join(std::move(p)); }
    Monoid& total() { return total_; }

private:
    const Space& space_;
    Monoid total_;
    const Monoid identity_;
};

struct no_part {};

// Common to the goals that look for good nodes.
template <class Space, bool Maximise>
class best_goal {
public:
    using node = typename Space::node;
    using part = no_part;
    static constexpr bool prunes_siblings = has_falling_bounds<Space>::value;

    best_goal(const Space& space, const options& o) : space_(space), watch_(o.watch), outside_(o.outside) {}

    part fresh() const { return {}; }
    void take_bound(std::int64_t key) { best_.raise(key); }
    void join(part&&) const {}
    incumbent<node>& best() { return best_; }

protected:
    // The node's key, or no_key if it is no solution.
    std::int64_t key(const node& n) const {
        const std::optional<std::int64_t> value = space_.objective(n);
        return value ? key_of<Maximise>(*value) : no_key;
    }
    std::int64_t bound_key(const node& n) const { return key_of<Maximise>(space_.bound(n)); }

    BOUGH_COLD void improve(counters& count, const node& n, std::int64_t key) {
        if (!best_.raise(key, n))
            return;
        ++count.bounds;
        if (watch_) {
            watch_->best.store(key_of<Maximise>(best_.key()), std::memory_order_relaxed);
            watch_->has_best.store(
                true, std::memory_order_release);  // pairs with the watcher's load; `best` is set
        }
        if (outside_)
            outside_->found_bound(key);
    }

    const Space& space_;
    progress* const watch_;
    outside_work* const outside_;
    incumbent<node> best_;
};

template <class Space, bool Maximise>
class optimisation : public best_goal<Space, Maximise> {
    using base = best_goal<Space, Maximise>;

public:
    using base::base;
    using typename base::node;
    using typename base::part;

    bool prunes(const node& n) const {
        if constexpr (has_bound<Space>::value)
            return this->bound_key(n) <= this->best_.key();
        else
            return false;
    }
    bool visit(part&, counters& count, const node& n, unsigned) {
        const std::int64_t key = this->key(n);
        if (key > this->best_.key())
            this->improve(count, n, key);
        return true;
    }
};

template <class Space, bool Maximise>
class decision : public best_goal<Space, Maximise> {
    using base = best_goal<Space, Maximise>;

public:
    using typename base::node;
    using typename base::part;

    decision(const Space& space, std::int64_t target, const options& o)
        : base(space, o), target_(key_of<Maximise>(target)) {}

    bool prunes(const node& n) const {
        if constexpr (has_bound<Space>::value)
            return this->bound_key(n) < target_;
        else
            return false;
    }
    bool visit(part&, counters& count, const node& n, unsigned) {
        const std::int64_t key = this->key(n);
        if (key < target_ || key == no_key)
            return true;
        this->improve(count, n, key);
        if (this->outside_)
            this->outside_->found_target();
        return false;
    }

private:
    const std::int64_t target_;
};

}  // namespace bough::search::detail
