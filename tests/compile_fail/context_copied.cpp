// A context is known by its address.
// Error: deleted.*task_group_context
#include <bough/bough.h>

void use(bough::task_group_context& context) {
#ifdef BOUGH_MUST_FAIL
    bough::task_group_context other(context);
#else
    bough::task_group_context& other = context;
#endif
    other.cancel_group_execution();
}
