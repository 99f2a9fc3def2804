// numa_allocation.h: whole pages from the kernel, laid over NUMA nodes in turn. Placement is only advice: where the
// kernel refuses it (one node, a sandbox that forbids mbind), the memory is ordinary. Nothing is cached; thread-safe.
// nullptr for no bytes, a chunk that is not whole pages, a node that is not there, or no memory; nothing is thrown.

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bough/topology.h>
#include <climits>
#include <new>
#include <vector>

#include "newer.h"

namespace tbb::detail::r1 {
namespace {

std::size_t page_size() {
    static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return bytes;
}

// 0 when bytes are no number of whole pages any more.
std::size_t whole_pages(std::size_t bytes) {
    const std::size_t rest = bytes % page_size();
    return rest == 0 ? bytes : bytes + (page_size() - rest) > bytes ? bytes + (page_size() - rest) : 0;
}

class node_set {
public:
    void insert(unsigned node) {
        words_.resize(std::max<std::size_t>(words_.size(), node / bits + 1));
        words_[node / bits] |= 1UL << node % bits;
    }
    // The kernel reads one bit less than it is told.
    unsigned long bit_count() const { return words_.size() * bits + 1; }
    const unsigned long* words() const { return words_.data(); }

private:
    static constexpr std::size_t bits = sizeof(unsigned long) * CHAR_BIT;
    std::vector<unsigned long> words_;
};

bool set_policy(char* start, std::size_t bytes, int policy, const node_set& nodes) {
    return syscall(SYS_mbind, start, bytes, policy, nodes.words(), nodes.words() ? nodes.bit_count() : 0UL,
                   0U) == 0;
}

// The kernel's own interleaving goes page by page over a set of nodes: pages are placed when they are first touched.
void interleave_pages(char* start, std::size_t bytes, const std::vector<unsigned>& nodes) {
    node_set all;
    for (const unsigned node : nodes)
        all.insert(node);
    set_policy(start, bytes, MPOL_INTERLEAVE, all);
}

void touch(char* start, std::size_t bytes) {
    for (std::size_t at = 0; at < bytes; at += page_size())
        *static_cast<volatile char*>(start + at) = 0;
}

// Larger chunks, or a node that takes more than one turn: each chunk gets its policy, is touched, and loses the policy
// again. A policy that stayed would cost the process one of its 65530 mappings per chunk.
void interleave_chunks(char* start, std::size_t bytes, const std::vector<unsigned>& nodes,
                       std::size_t chunk) {
    std::size_t turn = 0;
    for (std::size_t at = 0; at < bytes; ++turn) {
        const std::size_t length = std::min(chunk, bytes - at);
        node_set one;
        one.insert(nodes[turn % nodes.size()]);
        if (!set_policy(start + at, length, MPOL_PREFERRED, one))
            return;
        touch(start + at, length);
        set_policy(start + at, length, MPOL_DEFAULT, node_set());
        at += length;
    }
}

// The kernel's numbers of the named nodes, of all for nullptr; empty when one of them is not there.
std::vector<unsigned> os_nodes(const d1::numa_node_id* ids, std::size_t count) {
    const std::vector<bough::numa_node>& known = bough::numa_nodes();
    std::vector<unsigned> result;
    if (ids == nullptr)
        for (const bough::numa_node& node : known)
            result.push_back(node.os_index);
    for (std::size_t i = 0; ids != nullptr && i < count; ++i) {
        const auto found =
            std::find_if(known.begin(), known.end(), [&](const auto& n) { return n.id == ids[i]; });
        if (found == known.end())
            return {};
        result.push_back(found->os_index);
    }
    return result;
}

bool has_twins(std::vector<unsigned> nodes) {
    std::sort(nodes.begin(), nodes.end());
    return std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end();
}

void place(char* start, std::size_t bytes, const std::vector<unsigned>& nodes, std::size_t chunk) {
    if (bough::numa_nodes().size() < 2)
        return;
    if (chunk == page_size() && !has_twins(nodes))
        interleave_pages(start, bytes, nodes);
    else
        interleave_chunks(start, bytes, nodes, chunk);
}

}  // namespace

void* allocate_interleaved(std::size_t bytes, const d1::numa_node_id* nodes, std::size_t nodes_count,
                           std::size_t bytes_per_chunk) try {
    const std::size_t length = whole_pages(bytes);
    const std::vector<unsigned> on = os_nodes(nodes, nodes_count);
    if (length == 0 || on.empty() || bytes_per_chunk % page_size() != 0)
        return nullptr;
    void* const start = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return nullptr;
    try {
        place(static_cast<char*>(start), length, on, bytes_per_chunk != 0 ? bytes_per_chunk : page_size());
    } catch (const std::bad_alloc&) {  // no room for a set of nodes: ordinary memory then
    }
    return start;
} catch (const std::bad_alloc&) {
    return nullptr;
}

void deallocate_interleaved(void* ptr, std::size_t bytes) {
    if (ptr != nullptr)
        munmap(ptr, whole_pages(bytes));
}

}  // namespace tbb::detail::r1
