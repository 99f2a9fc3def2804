#pragma once
// Binding threads to CPUs. Any thread; each call is about the calling one.

#include <memory>
#include <vector>

namespace bough::machine {

// Binds the calling thread to one CPU, given by its OS number. False when the system refuses.
bool bind_this_thread(unsigned os_cpu) noexcept;
// The same, to any of several.
bool bind_this_thread(const std::vector<unsigned>& os_cpus) noexcept;

// Remembers where the calling thread may run, and puts that back when it goes out of scope, in the same thread.
class keep_affinity {
public:
    keep_affinity();
    ~keep_affinity();
    keep_affinity(const keep_affinity&) = delete;
    keep_affinity& operator=(const keep_affinity&) = delete;

private:
    class mask;
    std::unique_ptr<mask> before_;
};

}  // namespace bough::machine
