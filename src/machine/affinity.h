#pragma once
// Binding threads to CPUs. Any thread; each call is about the calling one.

#include <memory>
#include <vector>

namespace bough::machine {

// Binds the calling thread to one CPU, given by its OS number. False when the system refuses.
bool bind_this_thread(unsigned os_cpu) noexcept;
// The same, to any of several.
bool bind_this_thread(const std::vector<unsigned>& os_cpus) noexcept;

// The OS number of the CPU that the calling thread runs on, at this moment. Some 10 ns.
unsigned current_cpu() noexcept;
// Moves the calling thread to another of the CPUs that it may run on, if there is one; it may run on the same ones as
// before. Some us.
void leave_cpu(unsigned os_cpu) noexcept;

// Remembers where the calling thread may run, and puts that back when it goes out of scope, in the same thread.
class keep_affinity {
public:
    keep_affinity();
    ~keep_affinity();
    keep_affinity(const keep_affinity&) = delete;
    keep_affinity& operator=(const keep_affinity&) = delete;

    // Until then: the same CPUs but one, if others are left.
    void without(unsigned os_cpu);

private:
    class mask;
    std::unique_ptr<mask> before_;
};

}  // namespace bough::machine
