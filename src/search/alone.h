#pragma once
// One process: a program that mpirun has not started, or that was built without MPI.

#include <utility>

#include "search/ranks.h"

namespace bough::search {

class alone final : public ranks {
public:
    int rank() const override { return 0; }
    int size() const override { return 1; }
    void use(const stealing&) override {}
    options together(options o) override { return o; }
    std::string broadcast(std::string of_first) override { return of_first; }
    const std::vector<rank_share>& shares() const override { return none_; }

private:
    const std::vector<rank_share> none_;
};

}  // namespace bough::search
