// A task is a function without arguments.
// Error: no match.* call to
#include <bough/bough.h>

void use(bough::task_group& group) {
#ifdef BOUGH_MUST_FAIL
    group.run([](int) {});
#else
    group.run([] {});
#endif
}
