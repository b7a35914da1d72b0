// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/crc32c.hpp"

#include <array>
#include <cstring>

namespace nereus::epochs {
namespace {

/// A polynomial over GF(2) of degree 31 at most; the highest bit is x^0, as the checksum has it.
using Polynomial = std::uint32_t;

constexpr Polynomial one = 0x80000000U, x = 0x40000000U, generator = 0x82f63b78U;

constexpr Polynomial times_x(Polynomial a) { return (a & 1U) != 0 ? (a >> 1) ^ generator : a >> 1; }

constexpr Polynomial product(Polynomial a, Polynomial b) {
    Polynomial sum = 0;
    for (Polynomial bit = one; bit != 0; bit >>= 1) {
        if ((a & bit) != 0) sum ^= b;
        b = times_x(b);
    }
    return sum;
}

/// What the register is multiplied by for each of `count` bytes that follow.
constexpr Polynomial shift_by_bytes(std::uint64_t count) {
    Polynomial result = one, square = x;
    for (int i = 0; i < 3; ++i) square = product(square, square); // x^8
    for (; count != 0; count >>= 1) {
        if ((count & 1U) != 0) result = product(result, square);
        square = product(square, square);
    }
    return result;
}

constexpr std::size_t word = sizeof(std::uint64_t);
using Table = std::array<std::uint32_t, 256>;

/// tables[n][b]: what byte b does to the register, followed by n zeros.
constexpr std::array<Table, word> make_tables() {
    std::array<Table, word> tables{};
    for (std::uint32_t byte = 0; byte < tables[0].size(); ++byte) {
        Polynomial a = byte;
        for (int bit = 0; bit < 8; ++bit) a = times_x(a);
        tables[0][byte] = a;
    }
    for (std::size_t n = 1; n < word; ++n)
        for (std::size_t byte = 0; byte < tables[n].size(); ++byte) {
            const std::uint32_t before = tables[n - 1][byte];
            tables[n][byte] = (before >> 8) ^ tables[0][before & 0xffU];
        }
    return tables;
}

constexpr std::array<Table, word> tables = make_tables();

std::uint32_t next_byte(std::uint32_t state, std::byte byte) {
    return (state >> 8) ^ tables[0][(state ^ std::to_integer<std::uint32_t>(byte)) & 0xffU];
}

/// The next eight bytes, each by its own table.
std::uint32_t next_word(std::uint32_t state, const std::byte *bytes) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < word; ++i) {
        const std::uint32_t of_state = i < sizeof state ? (state >> (8 * i)) & 0xffU : 0;
        next ^= tables[word - 1 - i][std::to_integer<std::uint32_t>(bytes[i]) ^ of_state];
    }
    return next;
}

std::uint32_t run_by_tables(std::uint32_t state, const std::byte *bytes, std::size_t count) {
    for (; count >= word; bytes += word, count -= word) state = next_word(state, bytes);
    for (; count > 0; ++bytes, --count) state = next_byte(state, *bytes);
    return state;
}

#if defined(__x86_64__)
/// By the processor's own instruction, several times as fast.
__attribute__((target("sse4.2"))) std::uint32_t run_by_instruction(std::uint32_t state, const std::byte *bytes,
                                                                   std::size_t count) {
    std::uint64_t wide = state;
    for (; count >= word; bytes += word, count -= word) {
        std::uint64_t next = 0;
        std::memcpy(&next, bytes, word);
        wide = __builtin_ia32_crc32di(wide, next);
    }
    state = static_cast<std::uint32_t>(wide);
    for (; count > 0; ++bytes, --count) state = __builtin_ia32_crc32qi(state, std::to_integer<unsigned char>(*bytes));
    return state;
}

std::uint32_t run(std::uint32_t state, const std::byte *bytes, std::size_t count) {
    static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
    return has_instruction ? run_by_instruction(state, bytes, count) : run_by_tables(state, bytes, count);
}
#else
std::uint32_t run(std::uint32_t state, const std::byte *bytes, std::size_t count) {
    return run_by_tables(state, bytes, count);
}
#endif

}

std::uint32_t crc32c(const std::byte *bytes, std::size_t count, std::uint32_t before) {
    return ~run(~before, bytes, count);
}

std::uint32_t crc32c_of_zeros(std::uint64_t count) { return ~product(shift_by_bytes(count), ~std::uint32_t{0}); }

std::uint32_t joined_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t bytes_of_second) {
    return product(shift_by_bytes(bytes_of_second), first) ^ second;
}

}
