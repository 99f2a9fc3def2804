#pragma once
// Safra's termination detection as a state machine of one rank: README.md has the argument. Its caller counts a sent
// message before it sends, and a received one after its tasks are in the arena.

#include <cstdint>
#include <optional>

#include "cluster/message.h"

namespace bough::cluster {

class safra {
public:
    // Rank 0 begins with the token, as if a failed round had just ended.
    safra(int rank, int size) : rank_(rank), size_(size), has_token_(rank == 0) { token_.black = true; }

    void sent() { ++count_; }
    void received() {
        --count_;
        black_ = true;
    }
    void take_token(safra_token token) {
        token_ = token;
        has_token_ = true;
    }

    struct step {
        enum class verb { nothing, pass, over } what = verb::nothing;
        int to = 0;
        safra_token token;
    };
    // What to do now. May rank 0 start a new round? It may always find that the last one has succeeded.
    step next(bool passive, bool may_start) {
        if (!has_token_ || !passive)
            return {};
        return rank_ == 0 ? at_rank_0(may_start) : pass({token_.count + count_, token_.black || black_});
    }

    bool has_token() const { return has_token_; }
    std::int64_t count() const { return count_; }

private:
    step at_rank_0(bool may_start) {
        if (size_ == 1)
            return {step::verb::over, 0, {}};  // it sends itself nothing
        if (!token_.black && !black_ && token_.count + count_ == 0)
            return {step::verb::over, 0, {}};
        token_.black = true;  // this round has failed for good
        return may_start ? pass({}) : step{};
    }
    step pass(safra_token token) {
        has_token_ = black_ = false;
        return {step::verb::pass, (rank_ + 1) % size_, token};
    }

    int rank_;
    int size_;
    std::int64_t count_ = 0;
    bool black_ = false;
    bool has_token_;
    safra_token token_;
};

}  // namespace bough::cluster
