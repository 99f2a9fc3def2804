// Two libraries of one process that both are a oneTBB: a plugin with a run path to its own, a wheel with a renamed one.
// Each starts its own threads, and an object of one that reaches the other breaks. Looked for when this library is
// loaded, and again at look_for_twins() whenever the loader has added something. One line per process at most.

#include "twins.h"

#include <bough/exports/environment.h>

#include <link.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace bough::compat::abi {
namespace {

using path_text = std::array<char, 4096>;

// Static, so that they are there before any constructor. Relaxed: nothing is published through either.
constinit std::atomic<unsigned long long> adds_seen{0};
constinit std::atomic<bool> warned{false};

// libtbb.so.12.20, libtbb.so.2, libtbb_debug.so.12, and libtbb-1a2b3c4d.so.12 as tools that repair wheels name it; not
// libtbbmalloc, libtbbmalloc_proxy, libtbbbind_2_5.
bool is_onetbb(std::string_view path) {
    std::string_view name = path.substr(path.rfind('/') + 1);
    if (!name.starts_with("libtbb"))
        return false;
    name.remove_prefix(6);
    if (name.starts_with("_debug"))
        name.remove_prefix(6);
    if (name.starts_with('-'))
        name.remove_prefix(std::min(name.find_first_not_of("0123456789abcdef", 1), name.size()));
    if (!name.starts_with(".so"))
        return false;
    name.remove_prefix(3);
    return name.empty() ||
           (name[0] == '.' && name.find_first_not_of(".0123456789") == std::string_view::npos);
}

bool is_this_library(const dl_phdr_info& info) {
    const auto here = reinterpret_cast<std::uintptr_t>(&adds_seen);
    return std::any_of(info.dlpi_phdr, info.dlpi_phdr + info.dlpi_phnum, [&](const ElfW(Phdr) & segment) {
        const auto begin = info.dlpi_addr + segment.p_vaddr;
        return segment.p_type == PT_LOAD && here >= begin && here - begin < segment.p_memsz;
    });
}

void copy_printable(path_text& to, const char* from) {
    std::size_t n = 0;
    for (; from[n] && n + 1 < to.size(); ++n)
        to[n] = from[n] >= ' ' && from[n] <= '~' ? from[n] : '?';
    to[n] = '\0';
}

// Called under the loader's lock: copies, prints nothing. Ends the walk at once when nothing was added.
struct look {
    unsigned long long adds;
    path_text ours;
    path_text twin;
};

int probe(dl_phdr_info* info, std::size_t, void* data) {
    *static_cast<unsigned long long*>(data) = info->dlpi_adds;
    return 1;
}

int examine(dl_phdr_info* info, std::size_t, void* data) {
    auto& found = *static_cast<look*>(data);
    found.adds = info->dlpi_adds;
    if (is_this_library(*info))
        copy_printable(found.ours, info->dlpi_name);
    else if (found.twin[0] == '\0' && is_onetbb(info->dlpi_name))
        copy_printable(found.twin, info->dlpi_name);
    return 0;
}

bool is_wanted() {
    const char* value = detail::environment_value("BOUGH_WARN_TWINS");
    if (!value || std::string_view(value) == "1" || std::string_view(value).empty())
        return true;
    if (std::string_view(value) == "0")
        return false;
    std::fprintf(stderr, "bough: BOUGH_WARN_TWINS=%s: allowed: 0, 1; 1 is used\n", value);
    return true;
}

[[gnu::noinline]] void look_through() {
    look found{};
    ::dl_iterate_phdr(examine, &found);
    adds_seen.store(found.adds, std::memory_order_relaxed);
    if (found.twin[0] == '\0' || warned.exchange(true, std::memory_order_relaxed) || !is_wanted())
        return;
    std::fprintf(
        stderr,
        "bough: this process holds two oneTBB libraries, %s and %s: each has its own threads and limits, and "
        "objects must not pass from one to the other; start the program with bough-run, or make the part "
        "that brings the second use the first (its RPATH, LD_LIBRARY_PATH, or its own copy removed); "
        "BOUGH_WARN_TWINS=0 hides this line\n",
        found.ours.data(), found.twin.data());
}

// A child of fork() does not look: another thread of its parent may have held the loader's lock.
std::atomic<bool> is_child{false};
const int registered =
    pthread_atfork(nullptr, nullptr, [] { is_child.store(true, std::memory_order_relaxed); });

struct at_load {
    at_load() { look_for_twins(); }
};
const at_load first_look;

}  // namespace

void look_for_twins() noexcept {
    if (is_child.load(std::memory_order_relaxed))
        return;
    unsigned long long adds = 0;
    ::dl_iterate_phdr(probe, &adds);
    if (adds != adds_seen.load(std::memory_order_relaxed))
        look_through();
}

}  // namespace bough::compat::abi
