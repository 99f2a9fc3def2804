#pragma once
// Nodes as bytes, for other processes that run the same program. A node is trivially copyable, or has
//   void pack(std::vector<std::byte>& out) const;                       appends its bytes
//   static node unpack(const std::byte* bytes, std::size_t size);       throws if they are none

#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace bough::search::detail {

template <class Node, class = void>
struct has_pack : std::false_type {};
template <class Node>
struct has_pack<
    Node, std::void_t<decltype(std::declval<const Node&>().pack(std::declval<std::vector<std::byte>&>()))>>
    : std::true_type {};

template <class Node>
inline constexpr bool can_travel = has_pack<Node>::value || std::is_trivially_copyable_v<Node>;

template <class Node>
void pack_node(const Node& n, std::vector<std::byte>& out) {
    if constexpr (has_pack<Node>::value) {
        n.pack(out);
    } else if constexpr (std::is_trivially_copyable_v<Node>) {
        const std::size_t at = out.size();
        out.resize(at + sizeof(Node));
        std::memcpy(out.data() + at, &n, sizeof(Node));
    } else {
        throw std::logic_error("bough::search: a node that is neither trivially copyable nor has pack()");
    }
}

template <class Node>
Node unpack_node(const std::byte* bytes, std::size_t size) {
    if constexpr (has_pack<Node>::value) {
        return Node::unpack(bytes, size);
    } else if constexpr (std::is_trivially_copyable_v<Node>) {
        if (size != sizeof(Node))
            throw std::invalid_argument(
                "bough::search: a task of another size than a node; all ranks make the same "
                "searches, in the same order");
        alignas(Node) unsigned char raw[sizeof(Node)];
        std::memcpy(raw, bytes, size);
        return *reinterpret_cast<const Node*>(raw);
    } else {
        throw std::logic_error("bough::search: a node that is neither trivially copyable nor has unpack()");
    }
}

}  // namespace bough::search::detail
