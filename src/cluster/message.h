#pragma once
// What ranks tell each other: README.md has the table. A message is plain data; wire.h turns it into bytes.

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "cluster/local_work.h"

namespace bough::cluster {

using bytes = std::vector<std::byte>;

// What a rank tells about its locality.
struct statistics {
    std::uint64_t tasks = 0;
    double rate = 1.0;
    std::uint32_t workers = 1;
};

struct steal_request {
    std::uint32_t most = 1;
};
struct stolen_tasks {  // counted by Safra's ring
    std::vector<packed_task> tasks;
};
struct nothing_to_steal {};
struct statistics_request {};
struct bound_found {
    std::int64_t value = 0;
    std::int32_t origin = 0;
};
struct stop_all {
    std::int32_t origin = 0;
};
struct safra_token {
    std::int64_t count = 0;
    bool black = false;
};
struct search_done {};
struct partial_result {  // child to parent
    bytes value;
};
struct total_result {  // parent to child
    bytes value;
};
struct alive {
    std::int64_t every_ns = 0;  // so often does the sender say so
};
enum class operation_kind : std::uint32_t { search, reduction, end };
struct operation_begun {
    operation_kind what = operation_kind::search;
};

// The order is the number on the wire.
using message_body =
    std::variant<steal_request, stolen_tasks, nothing_to_steal, statistics_request, statistics, bound_found,
                 stop_all, safra_token, search_done, partial_result, total_result, alive, operation_begun>;

struct message {
    std::uint32_t epoch = 0;
    std::int32_t from = 0;
    message_body body;
};

}  // namespace bough::cluster
