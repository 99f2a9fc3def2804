#pragma once
// Environment values, read once. An unknown or unusable value is one line on stderr that names the variable, the
// value and what is allowed; then the default is used. So is a variable of an unknown name (variables.h).

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace bough {

// How a loop reaches idle workers: in the shape that the profile says, in halves of threads and range, the same with
// 9/16 kept, all handed off by one thread; or not, and they steal.
enum class distribution { tree, even, even_9_16, uneven, steal };  // BOUGH_DISTRIBUTE
enum class gate_mode { timespan, off, fixed, count };              // BOUGH_GATE
// Where spawned tasks go besides the queue: until each slot has had work, to a worker that waits, or into a mailbox;
// nowhere; as the first, but only into mailboxes; always into mailboxes.
enum class mailing { start, off, letters, always };  // BOUGH_MAIL
// Which idle workers look for what they can steal: the one that watches, less and less often; or all, all the time.
enum class thieving { watcher, all };  // BOUGH_THIEVES
// How many tasks a thief asks for, with the balancer of channels: half where tasks are short beside a
// request; one; half.
enum class stealing { adaptive, one, half };  // BOUGH_STEAL

// In which order a thief looks at the other slots: first the one where it last found something, then nearest
// first, at random where they are equally far; the one without the other; at random.
enum class victim_choice { last_nearest, last, nearest, random };  // BOUGH_VICTIMS

struct settings {
    unsigned threads;          // BOUGH_NUM_THREADS, else TBB_NUM_THREADS; 0: not set. 1 to 4096 allowed
    std::string threads_name;  // of the variable that `threads` is from
    distribution distribute;   // tree
    gate_mode gate;            // timespan
    mailing mail;              // start
    thieving thieves;          // watcher
    stealing steals;           // adaptive
    victim_choice victims;     // last_nearest
    std::uint32_t grain;       // BOUGH_GRAIN: units of each batch, 1 to 1,000,000; 0: adaptive
    bool predicts;             // not BOUGH_PREDICT=0: call sites learn how long their loops are
    double gate_ns;            // with gate_mode::fixed: BOUGH_GATE=5us, 800ns, 0.1ms
    unsigned gate_mails;       // with gate_mode::count: BOUGH_GATE=count:3, or after the timespan; else 0
    // BOUGH_SPIN_US: 0 and up, or "forever" (infinity); negative: not set, take the profile's.
    double spin_us;
    // BOUGH_WAIT=descendants: what a thread waits for, and what that started, is all it runs.
    bool waits_for_descendants;
    int signal;                // BOUGH_SIGNAL: what the variants split-signal... send, a real-time signal
    bool pin;                  // BOUGH_PIN=1: worker i is bound to usable CPU i
    bool stats;                // BOUGH_STATS=1: bough/statistics.h counts, and the sums are printed at exit
    bool print;                // BOUGH_PRINT=1: settings and their origin on stderr at start
    unsigned watchdog_s;       // BOUGH_WATCHDOG=5: a report after so many seconds without progress; 0: none
    bool watchdog_on_quit;     // BOUGH_WATCHDOG=quit, or 5,quit: a report on SIGQUIT
    bool warns_of_twins;       // not BOUGH_WARN_TWINS=0; compat/abi/twins.cpp reads it itself, and complains
    std::string profile_path;  // BOUGH_PROFILE, or the default place
    std::vector<std::string> from_environment;  // the variables whose values hold here
};

// The value of an environment variable; null: not set. An empty value counts as not set.
using environment = std::function<const char*(const char* name)>;

// As BOUGH_DISTRIBUTE has it.
std::string_view name_of(distribution d);
// As BOUGH_MAIL has it.
std::string_view name_of(mailing m);
// As BOUGH_THIEVES has it.
std::string_view name_of(thieving t);
// As BOUGH_STEAL has it.
std::string_view name_of(stealing s);
// As BOUGH_VICTIMS has it.
std::string_view name_of(victim_choice v);

// Pure: settings from an environment, and a line for each value that could not be used. BOUGH_CLOCK (counter,
// steady: see machine/clock.h) is checked too; profile_path is left to read_settings().
settings parse_settings(const environment& env, std::vector<std::string>& complaints);

// Reads the environment now and prints the complaints, about unknown names too.
settings read_settings();

// The settings of this process: the first call reads them. Thread-safe.
const settings& process_settings();

}  // namespace bough
