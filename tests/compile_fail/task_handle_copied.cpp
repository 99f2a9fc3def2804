// A task has one handle, which run() takes: an lvalue is not given away unseen.
// Error: use of deleted function|no match.* call to
#include <bough/bough.h>

void use(bough::task_group& group) {
    bough::task_handle h = group.defer([] {});
#ifdef BOUGH_MUST_FAIL
    group.run(h);
#else
    group.run(std::move(h));
#endif
}
