#pragma once
// Messages in bytes: the kind, the epoch, then the fields as they lie in memory. All ranks of a run are the same
// program on the same kind of machine. What does not fit is refused: read_message throws std::runtime_error.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "cluster/message.h"

namespace bough::cluster {

class wire_writer {
public:
    template <class T>
        requires std::is_trivially_copyable_v<T>
    void put(const T& value) {
        std::memcpy(more(sizeof value), &value, sizeof value);
    }
    void put_bytes(std::span<const std::byte> value) {
        put(std::uint64_t{value.size()});
        if (!value.empty())
            std::memcpy(more(value.size()), value.data(), value.size());
    }
    bytes take() { return std::move(out_); }

private:
    std::byte* more(std::size_t size) {
        out_.resize(out_.size() + size);
        return out_.data() + (out_.size() - size);
    }

    bytes out_;
};

class wire_reader {
public:
    explicit wire_reader(std::span<const std::byte> in) : in_(in) {}

    template <class T>
        requires std::is_trivially_copyable_v<T>
    T get() {
        T value;
        std::memcpy(&value, next(sizeof value).data(), sizeof value);
        return value;
    }
    bytes get_bytes() {
        const auto part = next(get<std::uint64_t>());
        return {part.begin(), part.end()};
    }
    std::size_t left() const { return in_.size(); }

private:
    std::span<const std::byte> next(std::uint64_t size) {
        if (size > in_.size())
            throw std::runtime_error("bough: a message between ranks is shorter than it says");
        const auto part = in_.first(size);
        in_ = in_.subspan(size);
        return part;
    }

    std::span<const std::byte> in_;
};

bytes write_message(const message& m);
message read_message(std::span<const std::byte> in, int from);

}  // namespace bough::cluster
