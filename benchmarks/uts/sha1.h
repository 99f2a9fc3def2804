#pragma once
// SHA-1 (FIPS 180-4) of messages that fit one block, which is what the search tree's random numbers need.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace bench {

using digest = std::array<std::uint8_t, 20>;

// Message of at most 55 bytes.
template <std::size_t N>
constexpr digest sha1(const std::array<std::uint8_t, N>& message) {
    static_assert(N <= 55);
    std::array<std::uint8_t, 64> block{};
    for (std::size_t i = 0; i < N; ++i)
        block[i] = message[i];
    block[N] = 0x80;
    block[62] = static_cast<std::uint8_t>(8 * N >> 8);
    block[63] = static_cast<std::uint8_t>(8 * N);

    std::array<std::uint32_t, 80> w{};
    for (std::size_t t = 0; t < 16; ++t)
        w[t] = std::uint32_t{block[4 * t]} << 24 | std::uint32_t{block[4 * t + 1]} << 16 |
               std::uint32_t{block[4 * t + 2]} << 8 | block[4 * t + 3];
    for (std::size_t t = 16; t < 80; ++t)
        w[t] = std::rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);

    constexpr std::array<std::uint32_t, 5> initial = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
                                                      0xc3d2e1f0};
    std::uint32_t a = initial[0], b = initial[1], c = initial[2], d = initial[3], e = initial[4];
    const auto rounds = [&](std::size_t first, std::uint32_t k, auto mix) {
        for (std::size_t t = first; t < first + 20; ++t) {
            const std::uint32_t next = std::rotl(a, 5) + mix(b, c, d) + e + k + w[t];
            e = d;
            d = c;
            c = std::rotl(b, 30);
            b = a;
            a = next;
        }
    };
    using word = std::uint32_t;
    const auto parity = [](word x, word y, word z) { return x ^ y ^ z; };
    rounds(0, 0x5a827999, [](word x, word y, word z) { return (x & y) ^ (~x & z); });
    rounds(20, 0x6ed9eba1, parity);
    rounds(40, 0x8f1bbcdc, [](word x, word y, word z) { return (x & y) ^ (x & z) ^ (y & z); });
    rounds(60, 0xca62c1d6, parity);

    const std::array<std::uint32_t, 5> sums = {initial[0] + a, initial[1] + b, initial[2] + c, initial[3] + d,
                                               initial[4] + e};
    digest result{};
    for (std::size_t i = 0; i < result.size(); ++i)
        result[i] = static_cast<std::uint8_t>(sums[i / 4] >> (24 - 8 * (i % 4)));
    return result;
}

// Published vectors: "abc" (FIPS 180) and the empty message.
static_assert(sha1<3>({'a', 'b', 'c'}) == digest{0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a, 0xba, 0x3e,
                                                 0x25, 0x71, 0x78, 0x50, 0xc2, 0x6c, 0x9c, 0xd0, 0xd8, 0x9d});
static_assert(sha1<0>({}) == digest{0xda, 0x39, 0xa3, 0xee, 0x5e, 0x6b, 0x4b, 0x0d, 0x32, 0x55,
                                    0xbf, 0xef, 0x95, 0x60, 0x18, 0x90, 0xaf, 0xd8, 0x07, 0x09});

}  // namespace bench
