// What oneTBB's headers tell Intel's tracing tools (ITT) in programs compiled with TBB_USE_PROFILING_TOOLS. Nobody
// listens here: the names are there so that such programs link and run. oneTBB's own are empty too while no collector
// is loaded.

#include <oneapi/tbb/profiling.h>

namespace tbb::detail::r1 {

using d0::itt_relation;
using d0::string_resource_index;
using d0::tchar;
using d1::itt_domain_enum;
using extra = unsigned long long;

void call_itt_notify(int, void*) {}
void create_itt_sync(void*, const tchar*, const tchar*) {}
void itt_set_sync_name(void*, const tchar*) {}

void itt_make_task_group(itt_domain_enum, void*, extra, void*, extra, string_resource_index) {}
void itt_task_begin(itt_domain_enum, void*, extra, void*, extra, string_resource_index) {}
void itt_task_end(itt_domain_enum) {}
void itt_region_begin(itt_domain_enum, void*, extra, void*, extra, string_resource_index) {}
void itt_region_end(itt_domain_enum, void*, extra) {}

void itt_metadata_str_add(itt_domain_enum, void*, extra, string_resource_index, const char*) {}
void itt_metadata_ptr_add(itt_domain_enum, void*, extra, string_resource_index, void*) {}
void itt_relation_add(itt_domain_enum, void*, extra, itt_relation, void*, extra) {}

}  // namespace tbb::detail::r1
