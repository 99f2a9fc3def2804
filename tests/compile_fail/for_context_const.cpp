// A loop may cancel its context.
// Error: allowed here are a partitioner
#include <bough/bough.h>

#ifdef BOUGH_MUST_FAIL
void use(const bough::task_group_context& context) {
#else
void use(bough::task_group_context& context) {
#endif
    bough::parallel_for(0, 10, [](int) {}, context);
}
