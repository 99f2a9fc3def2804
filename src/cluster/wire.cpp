#include "cluster/wire.h"

#include <utility>

namespace bough::cluster {
namespace {

template <class Body>
void put_body(wire_writer& to, const Body& body) {
    if constexpr (!std::is_empty_v<Body>)
        to.put(body);
}
void put_body(wire_writer& to, const stolen_tasks& body) {
    to.put(std::uint64_t{body.tasks.size()});
    for (const packed_task& task : body.tasks) {
        to.put(task.depth);
        to.put(task.sequence);
        to.put_bytes(task.bytes);
    }
}
void put_body(wire_writer& to, const partial_result& body) {
    to.put_bytes(body.value);
}
void put_body(wire_writer& to, const total_result& body) {
    to.put_bytes(body.value);
}

template <class Body>
void get_body(wire_reader& from, Body& body) {
    if constexpr (!std::is_empty_v<Body>)
        body = from.get<Body>();
}
void get_body(wire_reader& from, stolen_tasks& body) {
    for (auto left = from.get<std::uint64_t>(); left != 0; --left) {
        packed_task task;
        task.depth = from.get<std::uint32_t>();
        task.sequence = from.get<std::uint64_t>();
        task.bytes = from.get_bytes();
        body.tasks.push_back(std::move(task));
    }
}
void get_body(wire_reader& from, partial_result& body) {
    body.value = from.get_bytes();
}
void get_body(wire_reader& from, total_result& body) {
    body.value = from.get_bytes();
}

// Makes the body of this number, and reads it.
template <std::size_t... Kinds>
bool get_any(wire_reader& from, std::size_t kind, message_body& body, std::index_sequence<Kinds...>) {
    return ((kind == Kinds && (get_body(from, body.emplace<Kinds>()), true)) || ...);
}

}  // namespace

bytes write_message(const message& m) {
    wire_writer to;
    to.put(static_cast<std::uint32_t>(m.body.index()));
    to.put(m.epoch);
    std::visit([&](const auto& body) { put_body(to, body); }, m.body);
    return to.take();
}

message read_message(std::span<const std::byte> in, int from) {
    wire_reader reader(in);
    message m;
    const auto kind = reader.get<std::uint32_t>();
    m.epoch = reader.get<std::uint32_t>();
    m.from = from;
    if (!get_any(reader, kind, m.body, std::make_index_sequence<std::variant_size_v<message_body>>()) ||
        reader.left() != 0)
        throw std::runtime_error("bough: a message between ranks is of an unknown kind or length");
    return m;
}

}  // namespace bough::cluster
