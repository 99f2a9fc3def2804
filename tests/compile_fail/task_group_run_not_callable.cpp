// A task is a function without arguments.
#include <bough/bough.h>

void use(bough::task_group& group) {
#ifdef BOUGH_MUST_FAIL
    group.run([](int) {});
#else
    group.run([] {});
#endif
}
