#pragma once
// Which engine ran: entry points of bough and of oneTBB are counted on their way through this executable.

#include <atomic>

namespace engine_count {

extern std::atomic<int> bough_calls;   // run_loop, open_forks, spawn
extern std::atomic<int> onetbb_calls;  // execute_and_wait

struct snapshot {
    int bough = bough_calls.load();
    int onetbb = onetbb_calls.load();
    bool only_bough() const { return bough_calls > bough && onetbb_calls == onetbb; }
    bool only_onetbb() const { return bough_calls == bough && onetbb_calls > onetbb; }
};

}  // namespace engine_count
