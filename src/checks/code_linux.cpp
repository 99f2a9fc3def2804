#include <cxxabi.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "checks/code.h"
#include "checks/on/running.h"

namespace bough::checks {
namespace {

std::string hexadecimal(std::uintptr_t value) {
    char text[2 + 2 * sizeof value + 1];
    std::snprintf(text, sizeof text, "0x%jx", static_cast<std::uintmax_t>(value));
    return text;
}

std::string demangled(const char* name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                       std::free);
    return plain ? plain.get() : name;
}

// The program's own entry in the list has no name.
std::string file_of(const link_map& object) {
    if (object.l_name && *object.l_name)
        return object.l_name;
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "the program";
}

}  // namespace

std::string code_place(const void* address) {
    const auto value = reinterpret_cast<std::uintptr_t>(address);
    Dl_info info;
    void* found = nullptr;
    if (!dladdr1(address, &info, &found, RTLD_DL_LINKMAP) || !found)
        return hexadecimal(value);
    const auto& object = *static_cast<const link_map*>(found);
    std::string text = file_of(object) + "+" + hexadecimal(value - object.l_addr);
    if (info.dli_sname)
        text += " (" + demangled(info.dli_sname) + "+" +
                hexadecimal(value - reinterpret_cast<std::uintptr_t>(info.dli_saddr)) + ")";
    return text;
}

std::vector<const void*> calls_here() {
    void* returns[64];
    const int count = backtrace(returns, 64);
    std::vector<const void*> calls(returns, returns + count);
    for (const void*& call : calls)
        call = call_before(call);
    return calls;
}

}  // namespace bough::checks
