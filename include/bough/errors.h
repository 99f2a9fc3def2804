#pragma once
// Declares nesting_too_deep (exports/nesting.h). Besides that bough throws missing_wait (task_group.h),
// std::invalid_argument and std::bad_alloc; each function says when. A thread's first call of bough may throw
// std::bad_alloc, since the thread takes its slot in that call.

#include "exports/nesting.h"
