#pragma once
// version() is the version of the library with which a program runs. BOUGH_VERSION_MAJOR, _MINOR and _PATCH (config.h)
// are the version of the headers with which the program was compiled. A newer library may have been installed since.

#include "exports/version.h"
