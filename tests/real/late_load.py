"""libtbb.so.12 loaded late: into a process whose libstdc++ came by dlopen and has used its thread-local variables.

From then on libstdc++'s variables have no place in the static TLS block. A library that reaches for one of them (for
std::__once_call, say) by the initial-exec model can no longer be loaded: "cannot allocate memory in static TLS block".
"""

import ctypes
import sys

plugin = ctypes.CDLL(sys.argv[1])
print("plugin", plugin.use_call_once(), plugin.throw_and_catch())
print("loaded", ctypes.CDLL("libtbb.so.12").TBB_runtime_interface_version() >= 12000)
