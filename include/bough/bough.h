#pragma once
// Everything.

#include "blocked_range.h"
#include "config.h"
#include "context.h"
#include "global_control.h"
#include "morsel.h"
#include "observer.h"
#include "parallel_for.h"
#include "parallel_invoke.h"
#include "parallel_reduce.h"
#include "partitioner.h"
#include "resumable.h"
#include "split.h"
#include "task_arena.h"
#include "task_group.h"
#include "topology.h"
