// A profile file of any content is refused with one line, or holds values within its documented bounds that are written
// and read again as they are.

#include <cmath>
#include <stdexcept>

#include "fuzz_support.h"
#include "profile/profile.h"

namespace {

using bough_fuzz::check;

bool is_within(double x, double least, double most) {
    return std::isfinite(x) && x >= least && x <= most;
}

// As calibrate/README.md has them.
void check_bounds(const bough::profile& p) {
    check(!p.timespan_ns.empty() && p.timespan_ns.size() <= 4095, "1 to 4095 time spans");
    for (const double t : p.timespan_ns)
        check(is_within(t, 1, 1e9), "time span of 1 ns to 1 s", std::to_string(t));
    check(is_within(p.handoff_ns, 1, 1e7), "hand-off of 1 ns to 10 ms", std::to_string(p.handoff_ns));
    check(is_within(p.wakeup_ns, 1, 1e9), "wake-up of 1 ns to 1 s", std::to_string(p.wakeup_ns));
    check(is_within(p.steal_ns, 1, 1e8), "steal of 1 ns to 0.1 s", std::to_string(p.steal_ns));
    check(p.fan_out >= 2 && p.fan_out <= 64, "fan-out of 2 to 64", std::to_string(p.fan_out));
    check(is_within(p.spin_us, 0, 1e6), "spin of 0 to 1 s", std::to_string(p.spin_us));
    const bough::profile_spread& s = p.spread;
    check(s.timespan.empty() || s.timespan.size() == p.timespan_ns.size(),
          "a spread for each time span or none");
    for (const std::optional<double>& x : {s.handoff, s.wakeup, s.steal, s.largest()})
        check(!x || is_within(*x, 0, 1e9), "spread of 0 to 10^9", std::to_string(x.value_or(0)));
}

void check_same(const bough::profile_file& a, const bough::profile_file& b) {
    const bough::profile &p = a.values, &q = b.values;
    check(p.timespan_ns == q.timespan_ns && p.handoff_ns == q.handoff_ns && p.wakeup_ns == q.wakeup_ns &&
              p.steal_ns == q.steal_ns && p.fan_out == q.fan_out && p.spin_us == q.spin_us &&
              p.counter_trusted == q.counter_trusted && p.trusted == q.trusted && p.spread == q.spread,
          "values are read again as they were written", bough::to_json(b));
    check(a.cpu == b.cpu && a.date == b.date && a.how == b.how, "texts are read again as they were written");
}

// Loading says nothing about what it takes, and one line that names the file about what it does not take.
void check_load(const std::string& text, bool is_taken) {
    static const bough_fuzz::memory_file file;
    file.hold(text);
    bough::profile loaded;
    const std::string said = bough_fuzz::stderr_of([&] { loaded = bough::load_profile(file.path(), 4); });
    check_bounds(loaded);
    check(loaded.origin == (is_taken ? file.path() : "defaults"), "origin", loaded.origin);
    if (is_taken)
        return check(said.empty(), "nothing is said about a good file", said);
    check(said.ends_with('\n') &&
              bough_fuzz::is_one_line(std::string_view(said).substr(0, said.size() - 1), 500),
          "one line about a file that is refused", said);
    check(said.find(file.path()) != std::string::npos, "it names the file", said);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(bough_fuzz::text_of(data, size));
    bool is_of_this_machine = false;
    try {
        bough::profile_file file = bough::parse_profile(text);
        check_bounds(file.values);
        check_same(file, bough::parse_profile(bough::to_json(file)));
        is_of_this_machine = file.cpu == bough::machine_identity();
        // Nearly no input names this machine: as if it did.
        if (!is_of_this_machine) {
            file.cpu = bough::machine_identity();
            check_load(bough::to_json(file), true);
        }
    } catch (const std::runtime_error& refused) {
        check(*refused.what() != '\0', "a reason");
    }
    check_load(text, is_of_this_machine);
    return 0;
}
