// sched_setaffinity(2) with masks beyond 1024 CPUs; see affinity.h.

#include "machine/affinity.h"

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <new>

namespace bough::machine {
namespace {

constexpr std::size_t most_cpus = 65536;  // 8 KiB; Linux has at most 8192 today

}  // namespace

class keep_affinity::mask {
public:
    mask() : set_(CPU_ALLOC(most_cpus)) {
        if (set_ == nullptr)
            throw std::bad_alloc();
        CPU_ZERO_S(CPU_ALLOC_SIZE(most_cpus), set_);
        known_ = sched_getaffinity(0, CPU_ALLOC_SIZE(most_cpus), set_) == 0;
    }
    ~mask() { CPU_FREE(set_); }
    mask(const mask&) = delete;
    mask& operator=(const mask&) = delete;

    void apply() const {
        if (known_)
            sched_setaffinity(0, CPU_ALLOC_SIZE(most_cpus), set_);
    }
    // The system moves a thread at once where it runs on a CPU that it may not run on.
    void apply_without(unsigned os_cpu) {
        constexpr std::size_t bytes = CPU_ALLOC_SIZE(most_cpus);
        if (!known_ || os_cpu >= most_cpus || CPU_COUNT_S(bytes, set_) < 2 ||
            !CPU_ISSET_S(os_cpu, bytes, set_))
            return;
        CPU_CLR_S(os_cpu, bytes, set_);
        apply();
        CPU_SET_S(os_cpu, bytes, set_);
    }

private:
    cpu_set_t* set_;
    bool known_ = false;
};

keep_affinity::keep_affinity() : before_(std::make_unique<mask>()) {}
keep_affinity::~keep_affinity() {
    before_->apply();
}

unsigned current_cpu() noexcept {
    return static_cast<unsigned>(sched_getcpu());
}

void keep_affinity::without(unsigned os_cpu) {
    before_->apply_without(os_cpu);
}

void leave_cpu(unsigned os_cpu) noexcept {
    try {
        keep_affinity before;
        before.without(os_cpu);
    } catch (const std::bad_alloc&) {  // it stays
    }
}

bool bind_this_thread(const std::vector<unsigned>& os_cpus) noexcept {
    if (os_cpus.empty())
        return false;
    const unsigned last = *std::max_element(os_cpus.begin(), os_cpus.end());
    if (last >= most_cpus)
        return false;
    const std::size_t bytes = CPU_ALLOC_SIZE(last + 1);
    cpu_set_t* set = CPU_ALLOC(last + 1);
    if (set == nullptr)
        return false;
    CPU_ZERO_S(bytes, set);
    for (const unsigned cpu : os_cpus)
        CPU_SET_S(cpu, bytes, set);
    const bool bound = sched_setaffinity(0, bytes, set) == 0;
    CPU_FREE(set);
    return bound;
}

bool bind_this_thread(unsigned os_cpu) noexcept {
    try {
        return bind_this_thread(std::vector<unsigned>{os_cpu});
    } catch (const std::bad_alloc&) {
        return false;
    }
}

}  // namespace bough::machine
