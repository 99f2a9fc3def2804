// membarrier is taken away while the process runs, as by a filter of system calls: a heavy fence that is taken from
// then on ends only when the light fences that were taken before have taken effect.

#include <dlfcn.h>
#include <sys/syscall.h>

#include <cstdarg>

#include "bough/detail/asymmetric_fence.h"
#include "process_support.h"
#include "support/patience.h"

namespace {

using bough::machine::heavy_fence;
using bough_test::comes_true;

std::atomic<bool> is_refused{false}, first_may_go_on{false};
std::atomic<int> naps{0};

// Thread A is refused first, and waits for the light fences; B comes meanwhile, and has to wait as well.
int child_taken_away() {
    if (!bough::machine::detail::heavy_reaches_all)
        return 77;  // refused from the start
    heavy_fence();
    if (naps != 0)
        return 2;
    is_refused = true;
    std::thread a(heavy_fence);
    if (!comes_true([] { return naps.load() == 1; }))
        return 3;
    heavy_fence();
    const int of_both = naps;
    first_may_go_on = true;
    a.join();
    if (of_both != 2)
        return 4;
    heavy_fence();  // that time is over
    return naps == 2 ? 0 : 5;
}

TEST(membarrier, who_takes_a_heavy_fence_after_it_was_taken_away_waits_for_the_light_ones) {
#ifdef BOUGH_TEST_SANITIZED
    GTEST_SKIP() << "the sanitizer has system calls of its own";
#endif
    const auto outcome = bough_test::run_child("taken_away");
    if (WIFEXITED(outcome.status) && WEXITSTATUS(outcome.status) == 77)
        GTEST_SKIP() << "the kernel refuses membarrier";
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
}

}  // namespace

#ifndef BOUGH_TEST_SANITIZED
// In place of the C library's, for the library too.
extern "C" long syscall(long number, ...) noexcept {
    static const auto real = reinterpret_cast<decltype(&syscall)>(dlsym(RTLD_NEXT, "syscall"));
    if (number == SYS_membarrier && is_refused) {
        errno = ENOSYS;
        return -1;
    }
    long given[6];
    va_list list;
    va_start(list, number);
    for (long& g : given)
        g = va_arg(list, long);
    va_end(list);
    return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

// The first that naps stays until the second one has come back.
extern "C" int clock_nanosleep(clockid_t, int, const timespec*, timespec*) noexcept {
    if (naps.fetch_add(1) == 0)
        comes_true([] { return first_may_go_on.load(); });
    return 0;
}
#endif

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv, {{"taken_away", child_taken_away}});
}
