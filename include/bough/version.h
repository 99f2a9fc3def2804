#pragma once
// Which bough a program runs on: version(), of the library. BOUGH_VERSION_MAJOR, _MINOR and _PATCH (config.h) are
// numbers of the headers that it was compiled with; a newer library may have been installed since.

#include "exports/version.h"
