// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/matrix_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace nereus::place {
namespace {

using plan::mapping::Pair;
using plan::mapping::Traffic;

constexpr std::string_view letters = "NEREUS-M";
constexpr std::int64_t version = 1;
constexpr std::int64_t most_ranks = 1 << 24;
constexpr std::int64_t most_nonzeros = std::int64_t{1} << 30; // 16 GiB
static_assert(std::endian::native == std::endian::little, "the numbers of the file are little-endian");

struct Header {
    std::array<char, letters.size()> magic;
    std::int64_t version, rows, columns, nonzeros;
};

template <class T> std::vector<T> read(std::ifstream &in, std::int64_t count) {
    std::vector<T> numbers(static_cast<std::size_t>(count));
    in.read(reinterpret_cast<char *>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(T)));
    return numbers;
}

std::string complaint_of(const Header &header, std::uintmax_t bytes) {
    if (std::string_view(header.magic.data(), letters.size()) != letters || header.version != version)
        return "is no matrix of version " + std::to_string(version);
    if (header.rows != header.columns || header.rows < 1 || header.rows > most_ranks)
        return std::to_string(header.rows) + " rows and " + std::to_string(header.columns) +
               " columns: as many of both, 1 .. " + std::to_string(most_ranks) + ", are allowed";
    const std::uintmax_t wanted = sizeof(Header) + 8 * static_cast<std::uintmax_t>(header.rows + 1) +
                                  16 * static_cast<std::uintmax_t>(header.nonzeros);
    if (header.nonzeros < 0 || header.nonzeros > most_nonzeros || bytes != wanted)
        return "has " + std::to_string(bytes) + " bytes, but its header states " + std::to_string(wanted);
    return {};
}

std::string complaint_of_pair(std::int64_t row, std::int64_t column, double bytes, std::int64_t rows) {
    const std::string where = "row " + std::to_string(row) + ", column " + std::to_string(column) + ": ";
    if (column < 0 || column >= rows) return where + "columns 0 .. " + std::to_string(rows - 1) + " are allowed";
    if (!std::isfinite(bytes) || bytes < 0) return where + "numbers of bytes from 0 are allowed";
    return {};
}

}

Result<Traffic> read_traffic(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    std::error_code problem;
    const std::uintmax_t bytes = std::filesystem::file_size(file, problem);
    Header header{};
    in.read(reinterpret_cast<char *>(&header), sizeof header);
    if (!in || problem) return failed(NEREUS_ERR_ARGUMENT, file + ": cannot be read");
    if (const auto why = complaint_of(header, bytes); !why.empty())
        return failed(NEREUS_ERR_ARGUMENT, file + ": " + why);
    const auto starts = read<std::int64_t>(in, header.rows + 1), columns = read<std::int64_t>(in, header.nonzeros);
    const auto values = read<double>(in, header.nonzeros);
    if (!in || starts.front() != 0 || starts.back() != header.nonzeros || !std::ranges::is_sorted(starts))
        return failed(NEREUS_ERR_ARGUMENT, file + ": starts of rows must not fall, from 0 to the number of nonzeros");
    std::vector<Pair> pairs;
    pairs.reserve(values.size());
    for (std::int64_t row = 0; row < header.rows; ++row)
        for (auto i = static_cast<std::size_t>(starts[static_cast<std::size_t>(row)]);
             i < static_cast<std::size_t>(starts[static_cast<std::size_t>(row) + 1]); ++i) {
            if (const auto why = complaint_of_pair(row, columns[i], values[i], header.rows); !why.empty())
                return failed(NEREUS_ERR_ARGUMENT, file + ": " + why);
            pairs.push_back({static_cast<int>(row), static_cast<int>(columns[i]), values[i]});
        }
    return Traffic(static_cast<int>(header.rows), pairs);
}

}
