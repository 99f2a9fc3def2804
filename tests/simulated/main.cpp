// stress SCENARIO SEED [FAULT]: runs one scenario, with the planted fault of that number. stress: their names.

#include <cstring>

#include "scenario.h"

// Read by what planted.py plants in a copy of src/; 0: none.
extern "C" int planted_fault;
int planted_fault = 0;

namespace simulated {
namespace {

struct entry {
    const char* name;
    scenario run;
};

std::vector<entry>& all() {
    static std::vector<entry> list;
    return list;
}

}  // namespace

known::known(const char* name, scenario run, balancers its) {
    if (its == balancers::all || !must_poll())
        all().push_back({name, run});
}

}  // namespace simulated

int main(int count, char** arguments) {
    using namespace simulated;
    if (count == 1) {
        for (const entry& e : all())
            std::puts(e.name);
        return 0;
    }
    for (const entry& e : all())
        if (count >= 3 && std::strcmp(e.name, arguments[1]) == 0) {
            planted_fault = count > 3 ? std::atoi(arguments[3]) : 0;
            random_numbers random(std::strtoull(arguments[2], nullptr, 10));
            e.run(random);
            std::puts("right");
            return 0;
        }
    std::fprintf(stderr, "stress SCENARIO SEED [FAULT]; without any it prints the scenarios\n");
    return 2;
}
