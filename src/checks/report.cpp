#include "checks/report.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "checks/code.h"
#include "checks/on/running.h"

namespace bough::checks {
namespace {

// What lies between who wants the lock and who holds it.
struct way_between {
    const frame* wanter = nullptr;     // the innermost work
    const frame* outermost = nullptr;  // the call that the holder made
};

way_between way_to(std::uint64_t holder) {
    way_between way;
    for (const frame* f = frame::innermost(); f && f->number != holder; f = f->outer) {
        if (f->is_call)
            way.outermost = f;
        else if (!way.wanter)
            way.wanter = f;
    }
    return way;
}

const char* advice(const way_between& way) {
    if (!way.wanter)
        return "The same code takes it twice: no other task has come in between.";
    if (way.outermost && way.outermost->node && way.wanter->node &&
        way.wanter->node->is_below(way.outermost->node))
        return "What the holder waits for wants the lock: let go of it before you wait.";
    return "While a thread waits it runs other work of its arena. Let go of the lock before you wait;\n"
           "or wait inside bough::this_task_arena::isolate; or in an arena with\n"
           "bough::task_arena::waiting::descendants (BOUGH_WAIT=descendants: all of them).";
}

// A call that the library made within a call is of no interest: the user's is the outer one.
bool is_shown(const frame& f) {
    return !f.is_call || !f.outer || !f.outer->is_call;
}

std::string way_in_words(std::uint64_t holder) {
    std::string text;
    for (const frame* f = frame::innermost(); f && f->number != holder; f = f->outer)
        if (is_shown(*f))
            text += std::string(f->is_call ? "  run by    " : "  in        ") + f->name +
                    (f->is_call ? ", called at " : ", ") + code_place(f->place) + "\n";
    return text;
}

// From the call on that wants the lock.
std::string stack_in_words(const void* innermost) {
    const auto calls = calls_here();
    std::string text;
    for (auto call = std::find(calls.begin(), calls.end(), innermost); call != calls.end(); ++call)
        text += "  stack     " + code_place(*call) + "\n";
    return text;
}

const char* manner(bool shared) {
    return shared ? ", shared" : "";
}

}  // namespace

void report_taken_again(const held_lock& mine, const char* kind, bool wants_shared, const void* at) {
    char lock[32];
    std::snprintf(lock, sizeof lock, "%p", mine.lock);
    std::string text =
        "bough: a thread takes a lock that it holds already: it would wait for itself for ever\n";
    text += std::string("  lock      ") + lock + ", " + kind + "\n";
    text += "  wanted at " + code_place(at) + manner(wants_shared) + "\n";
    text += way_in_words(mine.frame);
    text += "  held from " + code_place(mine.taken_at) + manner(mine.is_shared) + "\n";
    text += "  by        " +
            (mine.name ? mine.name + (", " + code_place(mine.place)) : "the application's own code") + "\n";
    text += stack_in_words(at);
    text += advice(way_to(mine.frame));
    text += "\naddr2line -Cfipe FILE OFFSET names the line of FILE+OFFSET.\n";
    std::fputs(text.c_str(), stderr);
    std::abort();
}

}  // namespace bough::checks
