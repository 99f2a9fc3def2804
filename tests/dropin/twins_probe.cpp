// Goes into one library with compat/abi/twins.cpp: its look, to be called by a test.

#include "twins.h"

extern "C" __attribute__((visibility("default"))) void look() {
    bough::compat::abi::look_for_twins();
}
