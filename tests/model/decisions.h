#pragma once
// What is decided in an execution, in order: the next execution differs in the last decision that has another side.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace bough::model {

class decisions {
public:
    void begin_random(std::uint64_t seed) { random_.emplace(seed); }
    void follow(const std::string& schedule) {
        std::istringstream in(schedule);
        for (unsigned chosen; in >> chosen;)
            made_.push_back({chosen, chosen + 1});
    }

    unsigned choose(std::size_t sides) {
        if (sides <= 1)
            return 0;
        if (next_ == made_.size()) {
            const auto first = random_ ? static_cast<unsigned>((*random_)() % sides) : 0U;
            made_.push_back({first, static_cast<unsigned>(sides)});
        }
        return made_[next_++].chosen;
    }

    // False when all have been made.
    bool next_execution() {
        next_ = 0;
        if (random_) {
            made_.clear();
            return true;
        }
        while (!made_.empty() && made_.back().chosen + 1 == made_.back().sides)
            made_.pop_back();
        if (made_.empty())
            return false;
        ++made_.back().chosen;
        return true;
    }

    std::string text() const {
        std::ostringstream s;
        for (const decision& d : made_)
            s << d.chosen << ' ';
        return s.str();
    }

private:
    struct decision {
        unsigned chosen;
        unsigned sides;
    };
    std::vector<decision> made_;
    std::size_t next_ = 0;
    std::optional<std::mt19937_64> random_;
};

}  // namespace bough::model
