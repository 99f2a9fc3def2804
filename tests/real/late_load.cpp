// What a plugin written in C++ does to libstdc++'s thread-local variables. See late_load.py.

#include <mutex>

extern "C" int use_call_once() {
    static std::once_flag once;
    int called = 0;
    std::call_once(once, [&] { called = 1; });
    return called;
}

extern "C" int throw_and_catch() {
    try {
        throw 7;
    } catch (int thrown) {
        return thrown;
    }
}
