// SPDX-License-Identifier: BSD-3-Clause
#include "applications/cg/matrix_file.hpp"

#include "applications/gather.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

namespace cg {
namespace {

static_assert(std::endian::native == std::endian::little, "files are little-endian and are read as they are");

constexpr std::string_view magic = "NEREUS-M";
constexpr std::int64_t known_version = 1;
constexpr std::int64_t most_nonzeros = std::int64_t{1} << 58;

struct Header {
    std::array<char, 8> magic;
    std::int64_t version, rows, columns, nonzeros;
};

class MatrixFile : public MatrixSource {
public:
    MatrixFile(std::string path, const Header &header) : path_(std::move(path)), header_(header) {}

    std::int64_t rows() const override { return header_.rows; }

    tl::expected<std::int64_t, std::string> nonzeros(std::int64_t first_row, std::int64_t count) const override {
        std::vector<std::int64_t> starts(static_cast<std::size_t>(count) + 1);
        if (!read(starts_at(first_row), starts.data(), count + 1)) return tl::unexpected(unreadable());
        if (const std::string why = complaint_of(starts, first_row); !why.empty()) return tl::unexpected(why);
        return starts.back() - starts.front();
    }

    std::string fill(const nereus_matrix &matrix) const override {
        auto *values = static_cast<double *>(matrix.values);
        if (!read(starts_at(matrix.first_row), matrix.starts, matrix.rows + 1) ||
            !read(columns_at(matrix.first_nonzero), matrix.columns, matrix.nonzeros) ||
            !read(values_at(matrix.first_nonzero), values, matrix.nonzeros))
            return unreadable();
        for (std::int64_t k = 0; k < matrix.nonzeros; ++k) {
            const std::string nonzero = path_ + ": nonzero " + std::to_string(matrix.first_nonzero + k);
            if (matrix.columns[k] < 0 || matrix.columns[k] >= header_.columns)
                return nonzero + " is in column " + std::to_string(matrix.columns[k]) + ": allowed is 0 .. " +
                       std::to_string(header_.columns - 1);
            if (!std::isfinite(values[k])) return nonzero + " is no finite number";
        }
        return "";
    }

private:
    static std::int64_t starts_at(std::int64_t row) { return std::int64_t{sizeof(Header)} + row * 8; }
    std::int64_t columns_at(std::int64_t nonzero) const { return starts_at(header_.rows + 1) + nonzero * 8; }
    std::int64_t values_at(std::int64_t nonzero) const { return columns_at(header_.nonzeros) + nonzero * 8; }

    std::string unreadable() const { return path_ + ": cannot be read"; }

    template <class T> bool read(std::int64_t place, T *into, std::int64_t count) const {
        static_assert(sizeof(T) == 8);
        std::ifstream file(path_, std::ios::binary);
        file.seekg(place);
        file.read(reinterpret_cast<char *>(into), count * 8);
        return file.good();
    }

    std::string complaint_of(const std::vector<std::int64_t> &starts, std::int64_t first_row) const {
        const auto fall = std::ranges::adjacent_find(starts, std::ranges::greater{});
        if (fall != starts.end())
            return path_ + ": row " + std::to_string(first_row + (fall - starts.begin())) + " begins at nonzero " +
                   std::to_string(*fall) + " and ends at " + std::to_string(*(fall + 1)) + ": starts must not fall";
        const bool is_first = first_row == 0, is_last = first_row + std::ssize(starts) - 1 == header_.rows;
        if ((is_first && starts.front() != 0) || (is_last && starts.back() != header_.nonzeros) || starts.front() < 0 ||
            starts.back() > header_.nonzeros)
            return path_ + ": rows begin at nonzero " + std::to_string(starts.front()) + " and end at " +
                   std::to_string(starts.back()) + ": the file has 0 .. " + std::to_string(header_.nonzeros);
        return "";
    }

    std::string path_;
    Header header_;
};

/// What is wrong with the header of a file with so many bytes, or "".
std::string complaint_of(const Header &header, std::uintmax_t bytes) {
    if (std::string_view(header.magic.data(), header.magic.size()) != magic)
        return "is no matrix of `nereus matrix convert`";
    if (header.version != known_version)
        return "version " + std::to_string(header.version) + ": allowed is " + std::to_string(known_version);
    if (header.rows != header.columns)
        return std::to_string(header.rows) + " rows and " + std::to_string(header.columns) +
               " columns: the matrix must be square";
    if (header.rows < 0 || header.rows > applications::most_gathered)
        return std::to_string(header.rows) + " rows: allowed is 0 .. " + std::to_string(applications::most_gathered);
    if (header.nonzeros < 0 || header.nonzeros > most_nonzeros)
        return std::to_string(header.nonzeros) + " nonzeros: allowed is 0 .. " + std::to_string(most_nonzeros);
    const auto wanted = static_cast<std::uintmax_t>(std::int64_t{sizeof(Header)} + 8 * (header.rows + 1)) +
                        static_cast<std::uintmax_t>(16 * header.nonzeros);
    if (bytes != wanted)
        return "has " + std::to_string(bytes) + " bytes, but its header states " + std::to_string(wanted);
    return "";
}

}

tl::expected<std::unique_ptr<MatrixSource>, std::string> open_matrix(const std::string &path) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    if (error) return tl::unexpected(path + ": " + error.message());
    Header header{};
    std::ifstream file(path, std::ios::binary);
    if (!file) return tl::unexpected(path + ": cannot be read");
    if (!file.read(reinterpret_cast<char *>(&header), sizeof header))
        return tl::unexpected(path + ": has " + std::to_string(bytes) + " bytes, too few for a header");
    if (const std::string why = complaint_of(header, bytes); !why.empty()) return tl::unexpected(path + ": " + why);
    return std::make_unique<MatrixFile>(path, header);
}

}
