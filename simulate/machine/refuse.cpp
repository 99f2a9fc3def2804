#include "refuse.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

namespace simulate {

void refuse(const char* format, ...) {
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "simulate: %s\n", line);
    _exit(2);
}

}  // namespace simulate
