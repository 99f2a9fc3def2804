// Which parameters are refused, and what is said then.

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

#include "cluster/parameter_names.h"

namespace {

using namespace bough::cluster;

template <class Change>
std::string said_of(const Change& change) {
    parameters p;
    try {
        change(p);
        check_parameters(p);
    } catch (const std::invalid_argument& e) {
        return e.what();
    }
    return "nothing";
}

TEST(parameters, that_are_set_by_name_are_in_their_range) {
    for (const auto& [given, said] : {
             std::pair{"lost_after_us=0", "nothing"},
             {"lost_after_us=2000000", "nothing"},
             {"alive_every_us=-1000", "alive_every_us: '-1000' is no whole number from 1000 to 3600000000"},
             {"lost_after_us=9223372036854775807",
              "lost_after_us: '9223372036854775807' is no whole number from 0 to 3600000000"},
             {"lost_after_us=9223372036854775808",
              "lost_after_us: '9223372036854775808' is no whole number from 0 to 3600000000"},
             {"lost_after_us=1e3", "lost_after_us: '1e3' is no whole number from 0 to 3600000000"},
             {"smoothing=nan", "smoothing: 'nan' is no number from 0 to 1"},
             {"steals_on_the_way=0", "steals_on_the_way: '0' is no whole number from 1 to 4294967295"},
             {"refresh_asks=0", "refresh_asks: '0' is no whole number from 1 to 1000000"},
         })
        EXPECT_EQ(said_of([given = given](parameters& p) { set_parameter(p, given); }), said);
}

// A program may set members by itself.
TEST(parameters, that_are_set_otherwise_are_in_their_range_too) {
    EXPECT_EQ(said_of([](parameters&) {}), "nothing");
    EXPECT_EQ(said_of([](parameters& p) { p.alive_every = 0; }),
              "alive_every_us: '0' is no whole number from 1000 to 3600000000");
    EXPECT_EQ(said_of([](parameters& p) { p.alive_every = INT64_MAX; }),
              "alive_every_us: '9.22337203685e+15' is no whole number from 1000 to 3600000000");
    EXPECT_EQ(said_of([](parameters& p) { p.lost_after = -1; }),
              "lost_after_us: '-0.001' is no whole number from 0 to 3600000000");
    EXPECT_EQ(said_of([](parameters& p) { p.tasks_per_steal = 0; }),
              "tasks_per_steal: '0' is no whole number from 1 to 1000000");
    EXPECT_EQ(said_of([](parameters& p) { p.refresh_asks = -1; }),
              "refresh_asks: '-1' is no whole number from 1 to 1000000");
    EXPECT_EQ(said_of([](parameters& p) { p.log_offset = std::nan(""); }),
              "log_offset: 'nan' is no number from 1 to 1000000");
}

TEST(parameters, that_do_not_go_together_are_named) {
    EXPECT_EQ(said_of([](parameters& p) { p.alive_every = 4'000'001_us; }),
              "lost_after_us: 8000000 is neither 0 nor at least twice alive_every_us, 4000001");
    EXPECT_EQ(said_of([](parameters& p) { p.alive_every = 4_s; }), "nothing");
    EXPECT_EQ(said_of([](parameters& p) { p.back_off_first = 1_s; }),
              "back_off_first_us: 1000000 is more than back_off_cap_us, 500000");
    EXPECT_EQ(said_of([](parameters& p) { p.refresh_floor = 1_s; }),
              "refresh_floor_us: 1000000 is more than refresh_cap_us, 240000");
    EXPECT_EQ(said_of([](parameters& p) { p.probe_pause_first = 2_ms; }),
              "probe_pause_first_us: 2000 is more than probe_pause_cap_us, 1000");
}

}  // namespace
