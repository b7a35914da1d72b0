// SPDX-License-Identifier: BSD-3-Clause
#include "applications/shared_file.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace applications {
namespace {

constexpr std::int64_t number_bytes = sizeof(std::uint64_t);

struct Place {
    int rank = 0;
    int ranks = 1;

    explicit Place(MPI_Comm comm) {
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &ranks);
    }
};

struct Range {
    std::int64_t first, end;

    std::int64_t count() const { return end - first; }
};

Range block(std::int64_t numbers, int rank, int ranks) {
    const auto begin = [&](std::int64_t of) { return numbers / ranks * of + std::min(of, numbers % ranks); };
    return {begin(rank), begin(rank + 1)};
}

std::string text_of(int code) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    const std::string all(text, static_cast<std::size_t>(length));
    return all.substr(0, all.find_first_of(",\n"));
}

/// Collective. The text of an error that any process had, or "".
std::string first_error(MPI_Comm comm, int code) {
    int worst = 0;
    MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, comm);
    return worst == MPI_SUCCESS ? "" : text_of(worst);
}

/// This process' part, piece by piece; a process that has none left comes along without numbers.
class Pieces {
public:
    Pieces(const SharedFile &file, const Place &place)
        : mine_(block(file.numbers, place.rank, place.ranks)),
          piece_(std::max<std::int64_t>(1, file.piece_bytes / number_bytes / place.ranks)),
          most_((file.numbers + place.ranks - 1) / place.ranks) {}

    std::int64_t count() const { return (most_ + piece_ - 1) / piece_; }
    Range operator[](std::int64_t number) const {
        const std::int64_t first = std::min(mine_.first + number * piece_, mine_.end);
        return {first, std::min(first + piece_, mine_.end)};
    }

private:
    Range mine_;
    std::int64_t piece_, most_;
};

void fill_range(std::vector<std::uint64_t> &values, const Range &range, const Fill &fill) {
    values.resize(static_cast<std::size_t>(range.count()));
    fill(range.first, values);
}

int write_piece(MPI_File file, const Range &range, std::span<const std::uint64_t> values) {
    const int code = MPI_File_write_at_all(file, range.first * number_bytes, values.data(),
                                           static_cast<int>(values.size()), MPI_UINT64_T, MPI_STATUS_IGNORE);
    const int synced = MPI_File_sync(file);
    return code == MPI_SUCCESS ? synced : code;
}

int read_piece(MPI_File file, const Range &range, std::span<std::uint64_t> values) {
    return MPI_File_read_at(file, range.first * number_bytes, values.data(), static_cast<int>(values.size()),
                            MPI_UINT64_T, MPI_STATUS_IGNORE);
}

/// Of this process' part.
std::int64_t wrong_numbers(MPI_File file, const Pieces &pieces, const Fill &fill) {
    std::vector<std::uint64_t> wanted, found;
    std::int64_t wrong = 0;
    for (std::int64_t number = 0; number < pieces.count(); ++number) {
        const Range range = pieces[number];
        fill_range(wanted, range, fill);
        found.resize(wanted.size());
        // Where nothing can be read, nothing must be right by chance.
        std::ranges::transform(wanted, found.begin(), std::bit_not{});
        read_piece(file, range, found);
        for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != wanted[i];
    }
    return wrong;
}

}

std::int64_t SharedFile::share_bytes(int rank, int ranks) const {
    return block(numbers, rank, ranks).count() * number_bytes;
}

std::string SharedFile::make(MPI_Comm comm) const {
    MPI_File file = MPI_FILE_NULL;
    const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    int code = MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, &file);
    if (code == MPI_SUCCESS) {
        code = MPI_File_set_size(file, numbers * number_bytes);
        MPI_File_close(&file);
    }
    const std::string why = first_error(comm, code);
    return why.empty() ? "" : path + ": cannot be made: " + why;
}

std::string SharedFile::write(MPI_Comm comm, const Fill &fill) const {
    MPI_File file = MPI_FILE_NULL;
    std::string why = first_error(comm, MPI_File_open(comm, path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    const Pieces pieces(*this, Place(comm));
    std::vector<std::uint64_t> values;
    int code = MPI_SUCCESS;
    for (std::int64_t number = 0; why.empty() && number < pieces.count(); ++number) {
        const Range range = pieces[number];
        fill_range(values, range, fill);
        const int written = write_piece(file, range, values);
        if (code == MPI_SUCCESS) code = written;
    }
    if (file != MPI_FILE_NULL) MPI_File_close(&file);
    if (why.empty()) why = first_error(comm, code);
    return why.empty() ? "" : path + ": cannot be written: " + why;
}

std::string SharedFile::check(MPI_Comm comm, const Fill &fill, const std::string &owner) const {
    MPI_File file = MPI_FILE_NULL;
    const std::string why = first_error(comm, MPI_File_open(comm, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    const std::int64_t wrong = why.empty() ? wrong_numbers(file, {*this, Place(comm)}, fill) : 0;
    if (file != MPI_FILE_NULL) MPI_File_close(&file);
    if (!why.empty()) return path + ": cannot be read: " + why;
    std::int64_t all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, comm);
    return all == 0 ? "" : path + ": " + std::to_string(all) + " numbers are not those of " + owner;
}

}
