#include "recorder.h"

#define NOT_RECORDED __attribute__((no_instrument_function))

namespace path {
namespace {

constinit thread_local trace* current = nullptr;

NOT_RECORDED void note(const void* event) {
    trace* t = current;
    if (!t)
        return;
    if (t->count < trace::capacity)
        t->events[t->count++] = event;
    else
        t->overflowed = true;
}

}  // namespace

NOT_RECORDED void record_into(trace& t) {
    t.count = 0;
    t.overflowed = false;
    current = &t;
}

NOT_RECORDED void stop() {
    current = nullptr;
}

}  // namespace path

extern "C" {

NOT_RECORDED void __cyg_profile_func_enter(void* function, void*) {
    path::note(function);
}

NOT_RECORDED void __cyg_profile_func_exit(void*, void*) {
    path::note(nullptr);
}
}
