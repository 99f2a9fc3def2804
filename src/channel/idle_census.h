#pragma once
// Which workers are idle, as a manager counts them from the messages of one channel: termination detection of the paper
// on channels. Only the manager's thread calls. README.md, "Termination". Not used by the library yet.

#include <bitset>
#include <cstddef>
#include <cstdint>

namespace bough {

// A message to the manager, other than 0.
struct idle_message {
    enum class kind : std::uint8_t {
        idle = 1,   // this worker's request came to the manager, and it has nothing to do
        update = 2  // this worker is about to be sent work
    };
    kind what;
    std::uint16_t worker;

    std::uint64_t bits() const { return static_cast<std::uint64_t>(what) << 16 | worker; }
    static idle_message of(std::uint64_t bits) {
        return {static_cast<kind>(bits >> 16), static_cast<std::uint16_t>(bits)};
    }
};

template <std::size_t workers>
class idle_census {
public:
    void note(const idle_message& m) { idle_[m.worker] = m.what == idle_message::kind::idle; }
    // No worker has, or will get, any work.
    bool are_all_idle() const { return idle_.all(); }

private:
    std::bitset<workers> idle_;
};

}  // namespace bough
