#include "stats/counters.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "bough/exports/version.h"
#include "machine/once.h"
#include "profile/settings.h"

namespace bough {

constinit std::atomic<bool> events_are_counted{false};

namespace {

constexpr std::array<const char*, event_count> names{
    "spawned",           "executed",         "mailed",      "taken-from-mailbox",
    "proxy-found-spent", "handed-off",       "steal-tried", "steal-won",
    "exposed",           "exposed-unstolen", "signal-sent", "fence",
    "cas-tried",         "cas-failed",       "parked",      "woken",
    "passed-on",         "given-back",       "tasks-sent"};

// Under the process's lock.
struct all_counters {
    std::vector<counters*> listed;
    counts gone;
};
all_counters& process_counters() {
    static constinit machine::made_once<all_counters> one;
    return one.get([] { return all_counters(); });
}

void print_at_exit() {
    const statistics s = statistics_now();
    std::string line = "bough:";
    for (std::size_t i = 0; i < event_count; ++i)
        if (is_counted(static_cast<event>(i)))
            line += ' ' + std::string(names[i]) + ' ' + std::to_string(s.total.of[i]);
    std::fprintf(stderr, "%s, ms working %.3f searching %.3f sleeping %.3f\n", line.c_str(),
                 s.total.working_ns / 1e6, s.total.searching_ns / 1e6, s.total.sleeping_ns / 1e6);
}

bool begin_to_count() {
    const settings& s = process_settings();
    if (!s.stats && s.watchdog_s == 0 && !s.watchdog_on_quit)
        return false;
    counters_of_nobody();
    if (s.stats)
        std::atexit(print_at_exit);
    events_are_counted.store(true, std::memory_order_relaxed);
    return true;
}

}  // namespace

// The thread may change what it does while we read. Then since_ is another at the end, and we read again. A thread that
// changes all the time is read without its spell, which is short.
counters::times counters::spent() const {
    constexpr int tries = 4;
    for (int left = tries;; --left) {
        // acquire: pairs with the store in begin(). All spells before this one are in the sum.
        const machine::ticks since = left != 0 ? since_.load(std::memory_order_acquire) : 0;
        // acquire, both: pair with the stores in end() and begin(). If we see what belongs to a later spell, the load
        // of since_ below sees that this one has ended.
        const activity doing = doing_.load(std::memory_order_acquire);
        times all;
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = spent_[i].load(std::memory_order_acquire);
        if (since == 0)
            return all;
        if (since_.load(std::memory_order_relaxed) != since)
            continue;
        const machine::ticks now = machine::now();
        if (now > since)
            all[static_cast<std::size_t>(doing)] += now - since;
        return all;
    }
}

slot_counts counters::read() const {
    slot_counts r{arena_, slot_, {}};
    for (std::size_t i = 0; i < event_count; ++i)
        r.counted.of[i] = of_[i].load(std::memory_order_relaxed);
    const times all = spent();
    const auto ns = [&all](activity a) { return machine::to_ns(all[static_cast<std::size_t>(a)]); };
    r.counted.working_ns = ns(activity::working);
    r.counted.searching_ns = ns(activity::searching);
    r.counted.sleeping_ns = ns(activity::sleeping);
    return r;
}

void listed_counters::operator()(counters* gone) const noexcept {
    {
        const std::lock_guard lock(machine::process_lock());
        all_counters& all = process_counters();
        all.gone += gone->read().counted;
        std::erase(all.listed, gone);
    }
    delete gone;
}

unsigned next_arena_number() {
    static constinit machine::made_once<bool> counting;
    counting.get(begin_to_count);
    static std::atomic<unsigned> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

slot_counters make_slot_counters(unsigned arena, unsigned slot) {
    if (!events_are_counted.load(std::memory_order_relaxed))
        return nullptr;
    auto made = std::make_unique<counters>(arena, slot);
    const std::lock_guard lock(machine::process_lock());
    process_counters().listed.push_back(made.get());
    return slot_counters(made.release());
}

counters& counters_of_nobody() {
    static constinit machine::made_once<counters> one;
    return one.get([] { return counters(0, 0); });
}

// relaxed: a function's address, and nothing else is published with it.
static constinit std::atomic<counters* (*)() noexcept> find_counters{nullptr};

void find_counters_by(counters* (*find)() noexcept) noexcept {
    find_counters.store(find, std::memory_order_relaxed);
}

counters& counters_here() {
    const auto find = find_counters.load(std::memory_order_relaxed);
    counters* const its = find ? find() : nullptr;
    return its ? *its : counters_of_nobody();
}

const char* name_of(event e) noexcept {
    return names[static_cast<std::size_t>(e)];
}

bool is_counted(event e) noexcept {
    switch (e) {
    case event::exposed:
        return std::string_view(variant()).ends_with("-counted") || std::string_view(variant()) == "channels";
    case event::exposed_unstolen:
    case event::signal_sent:
    case event::fence:
    case event::cas_tried:
    case event::cas_failed:
        return std::string_view(variant()).ends_with("-counted");
    case event::passed_on:
    case event::given_back:
    case event::tasks_sent:
        return std::string_view(variant()) == "channels";
    default:
        return true;
    }
}

bool counts_events() {
    return process_settings().stats;
}

statistics statistics_now() {
    statistics s;
    if (!counts_events())
        return s;
    {
        const std::lock_guard lock(machine::process_lock());
        const all_counters& all = process_counters();
        s.total = all.gone;
        for (const counters* c : all.listed)
            s.slots.push_back(c->read());
    }
    s.total += counters_of_nobody().read().counted;
    for (const slot_counts& c : s.slots)
        s.total += c.counted;
    return s;
}

}  // namespace bough
