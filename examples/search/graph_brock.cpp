#include "graph_brock.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace searches {
namespace {

// random() of BSD: an additive generator with lags 3 and 31. glibc's starts in another way.
class bsd_random {
public:
    explicit bsd_random(std::uint32_t seed) {
        state_[0] = seed;
        for (std::size_t i = 1; i < lag; ++i)
            state_[i] = 1103515245 * state_[i - 1] + 12345;
        for (std::size_t i = 0; i < 10 * lag; ++i)
            next();
    }
    std::uint32_t next() {
        const std::uint32_t sum = state_[at_] += state_[(at_ + lag - 3) % lag];
        at_ = (at_ + 1) % lag;
        return sum >> 1;
    }

private:
    static constexpr std::size_t lag = 31;
    std::array<std::uint32_t, lag> state_{};
    std::size_t at_ = 3;
};

struct brock_parameters {
    unsigned size, clique;
    float density;
    unsigned depth;
    std::uint32_t seed;
};

constexpr brock_parameters known[3][4] = {
    {{200, 21, .75f, 1, 0}, {200, 12, .5f, 1, 20}, {200, 15, .6f, 2, 32}, {200, 17, .65f, 0, 16}},
    {{400, 27, .75f, 1, 0}, {400, 29, .75f, 1, 0}, {400, 31, .75f, 1, 0}, {400, 33, .75f, 1, 3}},
    {{800, 23, .65f, 2, 0}, {800, 24, .65f, 2, 1}, {800, 25, .65f, 2, 2}, {800, 26, .65f, 2, 3}}};

// The probabilities of edges in the complement: between a hidden vertex and another one, between two others.
struct edge_probabilities {
    float hidden, others;
};

// Such that degrees do not tell the hidden vertices from the others, to the given depth of neighbourhoods.
edge_probabilities probabilities(const brock_parameters& p) {
    const float q = 1 - p.density;
    if (p.depth == 0)
        return {q, q};
    const int i = static_cast<int>(p.depth) - 1;
    const double n = p.size, k = p.clique;
    const auto excess = [&](double x) {
        const double rest = std::pow(1 - x, i) * (n - k);
        return x * rest - q * (k - i - 1 + rest);
    };
    double low = q, high = i == 0 ? .99 : (1 + i * static_cast<double>(q)) / (1 + i);
    for (int steps = 0; steps < 100; ++steps) {
        const double middle = (low + high) / 2;
        (excess(middle) < 0 ? low : high) = middle;
    }
    const auto hidden = static_cast<float>(low);
    const double rest = std::pow(1 - static_cast<double>(hidden), i) * (n - k);
    return {hidden, static_cast<float>(hidden * (rest - k + i) / (rest - 1))};
}

}  // namespace

graph brock(unsigned size, unsigned number) {
    const brock_parameters& p = known[size == 200 ? 0 : size == 400 ? 1 : 2][number - 1];
    constexpr std::uint32_t unit = 1 << 20;
    const edge_probabilities edge = probabilities(p);
    const auto below = static_cast<std::uint32_t>(std::lround(edge.others * unit));
    bsd_random random(p.seed);

    std::vector<std::size_t> hidden;
    std::vector<bool> is_hidden(p.size, false);
    while (hidden.size() < p.clique) {
        const std::uint32_t v = random.next() & 4095;
        if (v >= p.size || is_hidden[v])
            continue;
        is_hidden[v] = true;
        hidden.push_back(v);
    }
    std::vector<std::uint32_t> thresholds;
    for (unsigned j = 1; j <= p.clique; ++j)
        thresholds.push_back(j == p.clique ? unit
                                           : static_cast<std::uint32_t>(
                                                 std::lround(unit * (j / static_cast<double>(p.clique)))));

    graph missing(p.size);
    float due = 0;
    for (std::size_t v = 0; v < p.size; ++v) {
        if (is_hidden[v])
            continue;
        for (std::size_t other = 0; other < v; ++other)
            if (const std::uint32_t z = random.next() & (unit - 1); !is_hidden[other] && z < below)
                missing.set_edge(v, other);
        due += static_cast<float>(p.clique) * edge.hidden;
        while (due >= 1) {
            const std::uint32_t z = random.next() & (unit - 1);
            const auto at = std::lower_bound(thresholds.begin(), thresholds.end(), z) - thresholds.begin();
            const std::size_t member = hidden[static_cast<std::size_t>(at)];
            if (missing.has_edge(v, member))
                continue;
            missing.set_edge(v, member);
            due -= 1;
        }
    }
    return missing.complement();
}

}  // namespace searches
