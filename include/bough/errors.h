#pragma once
// nesting_too_deep (exports/nesting.h). Besides it bough throws missing_wait (task_group.h), std::invalid_argument and
// std::bad_alloc; each function says when. Any call that is a thread's first may throw std::bad_alloc: the
// thread takes its slot with it.

#include "exports/nesting.h"
