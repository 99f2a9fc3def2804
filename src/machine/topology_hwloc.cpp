// Topology read from hwloc, once; see topology.h. Only CPUs, caches, nodes and kinds of core are asked for. On a 2-core
// guest that costs 3 ms, of which 1.7 are hwloc opening its plug-ins (which no call can prevent) and 1 is the kernel's
// files: loops do not wait for it, only who asks what lies near what.

#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <tuple>

#include "bough/detail/bounds.h"
#include "bough/exports/environment.h"
#include "machine/limits.h"
#include "machine/once.h"
#include "machine/one_line.h"
#include "machine/thread.h"
#include "machine/topology.h"

namespace bough::machine {
namespace {

// Where neither hwloc nor the C library knows: the usual sizes of x86-64 and aarch64 servers.
constexpr std::size_t usual_l1 = 32 << 10;
constexpr std::size_t usual_l2 = 1 << 20;
constexpr std::size_t usual_l3 = 8 << 20;
constexpr std::size_t usual_line = 64;

std::size_t asked_of_libc(int name, std::size_t otherwise) {
    const long value = sysconf(name);
    return value > 0 ? static_cast<std::size_t>(value) : otherwise;
}

topology flat(std::size_t count, const std::vector<unsigned>& os_cpus) {
    topology t{};
    for (std::size_t i = 0; i < count; ++i)
        t.cpus.push_back({os_cpus[i % os_cpus.size()], static_cast<unsigned>(i), 0, 0});
    t.nodes.push_back({-1, 0});
    t.l1_bytes = asked_of_libc(_SC_LEVEL1_DCACHE_SIZE, usual_l1);
    t.l2_bytes = asked_of_libc(_SC_LEVEL2_CACHE_SIZE, usual_l2);
    t.l3_bytes = asked_of_libc(_SC_LEVEL3_CACHE_SIZE, usual_l3);
    t.line_bytes = asked_of_libc(_SC_LEVEL1_DCACHE_LINESIZE, usual_line);
    t.from_hwloc = false;
    return t;
}

class loaded_hwloc {
public:
    loaded_hwloc() {
        if (hwloc_topology_init(&handle_) != 0)
            return;
        initialised_ = true;
        hwloc_topology_set_io_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_NONE);
        hwloc_topology_set_icache_types_filter(handle_, HWLOC_TYPE_FILTER_KEEP_NONE);
        hwloc_topology_set_type_filter(handle_, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
        hwloc_topology_set_flags(handle_, HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING |
                                              HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                              HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS);
        loaded_ = hwloc_topology_load(handle_) == 0;
    }
    ~loaded_hwloc() {
        if (initialised_)
            hwloc_topology_destroy(handle_);
    }
    loaded_hwloc(const loaded_hwloc&) = delete;
    loaded_hwloc& operator=(const loaded_hwloc&) = delete;

    bool ok() const { return loaded_; }
    hwloc_topology_t handle() const { return handle_; }

private:
    hwloc_topology_t handle_ = nullptr;
    bool initialised_ = false;
    bool loaded_ = false;
};

hwloc_obj_t last_level_cache(hwloc_obj_t pu) {
    hwloc_obj_t last = nullptr;
    for (hwloc_obj_t o = pu->parent; o != nullptr; o = o->parent)
        if (hwloc_obj_type_is_dcache(o->type))
            last = o;
    return last;
}

unsigned node_of(hwloc_obj_t pu) {
    const int node = pu->nodeset != nullptr ? hwloc_bitmap_first(pu->nodeset) : -1;
    return node < 0 ? 0 : static_cast<unsigned>(node);
}

std::size_t cache_bytes(hwloc_obj_t pu, hwloc_obj_type_t level, std::size_t otherwise) {
    for (hwloc_obj_t o = pu->parent; o != nullptr; o = o->parent)
        if (o->type == level && o->attr->cache.size > 0)
            return static_cast<std::size_t>(o->attr->cache.size);
    return otherwise;
}

std::size_t line_bytes(hwloc_obj_t pu, std::size_t otherwise) {
    for (hwloc_obj_t o = pu->parent; o != nullptr; o = o->parent)
        if (hwloc_obj_type_is_dcache(o->type) && o->attr->cache.linesize > 0)
            return o->attr->cache.linesize;
    return otherwise;
}

// The numbers 0, 1, 2 ... in order of first appearance.
class dense {
public:
    unsigned operator()(unsigned sparse) {
        return numbers_.try_emplace(sparse, static_cast<unsigned>(numbers_.size())).first->second;
    }

private:
    std::map<unsigned, unsigned> numbers_;
};

// Kinds that hwloc found but cannot rank (efficiency -1) are as good as none: nobody could ask for the faster one.
int kind_of(hwloc_topology_t handle, hwloc_obj_t pu) {
    const int kind = hwloc_cpukinds_get_by_cpuset(handle, pu->cpuset, 0);
    int efficiency = -1;
    if (kind < 0 || hwloc_cpukinds_get_info(handle, static_cast<unsigned>(kind), nullptr, &efficiency,
                                            nullptr, nullptr, 0) != 0)
        return -1;
    return efficiency < 0 ? -1 : kind;
}

// How fast the CPU is beside others of the machine, in any unit; 0: not known.
float speed_of(hwloc_topology_t handle, hwloc_obj_t pu) {
    const int kind = hwloc_cpukinds_get_by_cpuset(handle, pu->cpuset, 0);
    unsigned count = 0;
    hwloc_info_s* infos = nullptr;
    if (kind < 0 || hwloc_cpukinds_get_info(handle, static_cast<unsigned>(kind), nullptr, nullptr, &count,
                                            &infos, 0) != 0)
        return 0;
    // What the kernel's scheduler goes by, if it knows; else clock rates, which leave out how much a core does in a
    // cycle.
    for (const char* const name : {"LinuxCapacity", "FrequencyMaxMHz", "FrequencyBaseMHz"})
        for (unsigned i = 0; i < count; ++i)
            if (std::strcmp(infos[i].name, name) == 0)
                return static_cast<float>(std::atof(infos[i].value));
    return 0;
}

// Some CPUs of one kind may be allowed a higher clock for a while: a tenth is no difference.
void compare_speeds(topology& t) {
    const auto [least, most] = std::minmax_element(
        t.cpus.begin(), t.cpus.end(), [](const cpu& a, const cpu& b) { return a.speed < b.speed; });
    const float slowest = least->speed, fastest = most->speed;
    t.has_speeds = slowest > 0 && slowest < 0.9f * fastest;
    for (cpu& c : t.cpus)
        c.speed = t.has_speeds ? c.speed / fastest : 1;
}

cpu describe(hwloc_topology_t handle, hwloc_obj_t pu) {
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(handle, HWLOC_OBJ_CORE, pu);
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(handle, HWLOC_OBJ_PACKAGE, pu);
    const hwloc_obj_t cache = last_level_cache(pu);
    // Caches are numbered within their level. Where no core or cache is known, the CPU is its own core, and shares a
    // cache with its whole node.
    constexpr unsigned own = 1U << 30;
    const auto level = [](hwloc_obj_t c) { return static_cast<unsigned>(c->type) << 24; };
    return {pu->os_index,
            core != nullptr ? core->logical_index : own + pu->os_index,
            cache != nullptr ? level(cache) + cache->logical_index : own + node_of(pu),
            node_of(pu),
            kind_of(handle, pu),
            package != nullptr ? package->logical_index : 0,
            speed_of(handle, pu)};
}

node describe_node(hwloc_topology_t handle, unsigned os_index) {
    const hwloc_obj_t found = hwloc_get_numanode_obj_by_os_index(handle, os_index);
    return {found != nullptr ? static_cast<int>(found->logical_index) : -1, os_index};
}

void order_and_number(hwloc_topology_t handle, topology& t) {
    std::sort(t.cpus.begin(), t.cpus.end(), [](const cpu& a, const cpu& b) {
        return std::tie(a.node, a.cache, a.core, a.os_index) < std::tie(b.node, b.cache, b.core, b.os_index);
    });
    dense cores, caches, nodes, packages;
    for (cpu& c : t.cpus) {
        if (nodes(c.node) == t.nodes.size())
            t.nodes.push_back(describe_node(handle, c.node));
        c = {c.os_index, cores(c.core), caches(c.cache), nodes(c.node), c.kind, packages(c.package), c.speed};
    }
}

// Empty when hwloc fails or does not know a CPU that the kernel lets us use: `why` says which.
topology from_hwloc(const std::vector<unsigned>& os_cpus, std::string& why) {
    const loaded_hwloc hwloc;
    topology t{};
    if (!hwloc.ok()) {
        why = "hwloc cannot read this machine";
        return t;
    }
    hwloc_obj_t first = nullptr;
    for (const unsigned os : os_cpus) {
        const hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(hwloc.handle(), os);
        if (pu == nullptr) {
            why = "hwloc does not know CPU " + std::to_string(os) + ", which the affinity mask allows";
            return topology{};
        }
        first = first == nullptr ? pu : first;
        t.cpus.push_back(describe(hwloc.handle(), pu));
    }
    order_and_number(hwloc.handle(), t);
    compare_speeds(t);
    t.l1_bytes = cache_bytes(first, HWLOC_OBJ_L1CACHE, asked_of_libc(_SC_LEVEL1_DCACHE_SIZE, usual_l1));
    t.l2_bytes = cache_bytes(first, HWLOC_OBJ_L2CACHE, asked_of_libc(_SC_LEVEL2_CACHE_SIZE, usual_l2));
    t.l3_bytes = cache_bytes(first, HWLOC_OBJ_L3CACHE, asked_of_libc(_SC_LEVEL3_CACHE_SIZE, usual_l3));
    t.line_bytes = line_bytes(first, asked_of_libc(_SC_LEVEL1_DCACHE_LINESIZE, usual_line));
    const hwloc_obj_t cache = last_level_cache(first);
    t.cache_level = cache != nullptr ? cache->attr->cache.depth : 0;
    t.from_hwloc = true;
    return t;
}

// BOUGH_FAKE_CPUS, 1 to most_threads; 0 when it is not set or unusable (one line).
std::size_t read_fake_cpus() {
    const char* text = detail::environment_value("BOUGH_FAKE_CPUS");
    if (text == nullptr || *text == '\0')
        return 0;
    constexpr std::size_t most = detail::most_threads;
    std::size_t count = 0;
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, count);
    if (error == std::errc() && stop == end && count >= 1 && count <= most)
        return count;
    std::fprintf(stderr, "bough: BOUGH_FAKE_CPUS=%s: allowed are 1 to %zu; the real CPUs are used\n",
                 one_line(text).c_str(), most);
    return 0;
}

std::size_t fake_cpus() {
    static constinit made_once<std::size_t> count;
    return count.get(read_fake_cpus);
}

// As they were when somebody first asked how many: who asks later what they are may be bound to one of them.
struct first_seen {
    std::vector<unsigned> cpus = process_affinity_cpus();
    int by_process = this_process_id();
};
const first_seen& what_was_first_seen() {
    static constinit made_once<first_seen> once;
    return once.get([] { return first_seen(); });
}
const std::vector<unsigned>& first_seen_cpus() {
    return what_was_first_seen().cpus;
}

// A topology, and why hwloc could not read it, or nothing.
struct result {
    topology value;
    std::string why;
};

void number_places(topology& t) {
    for (unsigned place = 0; place != t.cpus.size(); ++place) {
        const unsigned number = t.cpus[place].os_index;
        if (number >= t.place_by_number.size())
            t.place_by_number.resize(number + 1, topology::nowhere);
        t.place_by_number[number] = place;
    }
}

topology find_topology(std::string& why) {
    const std::vector<unsigned>& os_cpus = first_seen_cpus();
    if (fake_cpus() != 0)
        return flat(fake_cpus(), os_cpus);
    // hwloc takes folders of plug-ins and files from the environment, whoever wrote that.
    if (detail::has_more_rights_than_its_starter())
        return flat(os_cpus.size(), os_cpus);
    topology t = from_hwloc(os_cpus, why);
    return t.cpus.empty() ? flat(os_cpus.size(), os_cpus) : t;
}

constinit std::mutex lock;
constinit std::atomic<const result*> the_topology{nullptr};

// acquire: pairs with found_topology().
const result* topology_if_found() noexcept {
    return the_topology.load(std::memory_order_acquire);
}

const result& found_topology() {
    if (const result* const r = topology_if_found()) [[likely]]
        return *r;
    first_seen_cpus();  // these two may need the process's lock: before this one
    fake_cpus();
    const std::lock_guard reading(lock);
    if (const result* const r = topology_if_found())
        return *r;
    auto r = std::make_unique<result>();
    r->value = find_topology(r->why);
    number_places(r->value);
    the_topology.store(r.get(), std::memory_order_release);  // kept as long as the process lives
    if (r->value.is_uneven())
        the_uneven_topology.store(&r->value, std::memory_order_release);
    return *r.release();
}

}  // namespace

std::mutex& topology_lock() noexcept {
    return lock;
}

void begin_topology_lock_in_child() noexcept {
    new (&lock) std::mutex;
}

void read_topology() {
    found_topology();
}

constinit std::atomic<const topology*> the_uneven_topology{nullptr};

const topology& machine_topology() {
    const result& r = found_topology();
    static std::atomic<bool> has_said{false};
    if (!r.why.empty() && !has_said.exchange(true, std::memory_order_relaxed))
        std::fprintf(stderr, "bough: %s: all CPUs are taken to be equally near\n", r.why.c_str());
    return r.value;
}

std::vector<unsigned> cpus_for_workers() {
    const first_seen& seen = what_was_first_seen();
    return seen.by_process == this_process_id() ? seen.cpus : process_affinity_cpus();
}

std::size_t cpu_count() {
    return fake_cpus() != 0 ? fake_cpus() : first_seen_cpus().size();
}

unsigned distance_between(const topology& t, unsigned os_a, unsigned os_b) noexcept {
    const unsigned a = t.place_of(os_a), b = t.place_of(os_b);
    return a == topology::nowhere || b == topology::nowhere ? farthest : distance(t.cpus[a], t.cpus[b]);
}

unsigned distance(const cpu& a, const cpu& b) noexcept {
    if (a.core == b.core)
        return 0;
    if (a.cache == b.cache)
        return 1;
    return a.node == b.node ? 2 : 3;
}

}  // namespace bough::machine
