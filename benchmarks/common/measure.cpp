#include "common/measure.h"

namespace bench {
namespace {
bool failed = false;
}

void fail(benchmark::State& state, const std::string& message) {
    failed = true;
    state.SkipWithError(message.c_str());
}

bool any_failure() {
    return failed;
}

}  // namespace bench
