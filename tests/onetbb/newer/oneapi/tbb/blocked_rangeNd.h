#pragma once
#include <tbb/blocked_rangeNd.h>
