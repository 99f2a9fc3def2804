// Tasks belong to one group.
// Error: deleted.*task_group
#include <bough/bough.h>

void use(bough::task_group& group) {
#ifdef BOUGH_MUST_FAIL
    bough::task_group other(group);
#else
    bough::task_group& other = group;
#endif
    other.wait();
}
