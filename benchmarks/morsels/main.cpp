// Loops that write, with morsels and without: morsels.py starts this once for each case and way. MORSELS_WAYS names the
// header of the runtime that it is compiled for.
//
//     bench_morsels_bough CASE WAY [--size N] [--rounds N] [--warm-ups N] [--threads N]
//
// Exit status: 1 if the answer is wrong, 2 if the arguments are.

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include MORSELS_WAYS

#include "morsels/bands.h"
#include "morsels/heat.h"
#include "morsels/measure.h"
#include "morsels/merge_sort.h"
#include "morsels/options.h"
#include "morsels/product.h"
#include "morsels/shared_lines.h"

namespace {

using namespace bench::morsels;

// use.template operator()<Case>(), of those on one way.
template <class Loop, class Use>
void each_case(const Use& use) {
    use.template operator()<shared_lines<Loop>>();
    use.template operator()<heat<Loop>>();
    use.template operator()<product<Loop>>();
    use.template operator()<merge_sort<Loop>>();
    use.template operator()<bands<Loop>>();
}

int refused() {
    std::string cases, ways;
    each_way([&]<class Loop>(const char* way) {
        ways += (ways.empty() ? "" : "|") + std::string(way);
        cases.clear();
        each_case<Loop>([&]<class Case>() { cases += (cases.empty() ? "" : "|") + std::string(Case::name); });
    });
    std::fprintf(stderr, "usage: %s %s %s\n", cases.c_str(), ways.c_str(), usage);
    return 2;
}

// Nothing if there is no such case or way, else whether the answer was right.
std::optional<bool> run(const options& o) {
    std::optional<bool> right;
    each_way([&]<class Loop>(const char* way) {
        each_case<Loop>([&]<class Case>() {
            if (o.way != way || o.which != Case::name)
                return;
            Case c(o.size != 0 ? o.size : Case::usual_size);
            right = measure(c, way, o, threads());
        });
    });
    return right;
}

}  // namespace

int main(int count, char** given) {
    const std::optional<options> o = parsed(count, given);
    if (!o)
        return refused();
    std::optional<thread_limit> limit;
    if (o->threads != 0)
        limit.emplace(o->threads);
    try {
        const std::optional<bool> right = run(*o);
        if (!right)
            return refused();
        if (!*right)
            std::fprintf(stderr, "wrong answer\n");
        return *right ? 0 : 1;
    } catch (const std::exception& e) {  // of a size that does not fit into memory
        std::fprintf(stderr, "%s %s: %s\n", given[1], given[2], e.what());
        return 2;
    }
}
