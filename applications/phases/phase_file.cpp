// SPDX-License-Identifier: BSD-3-Clause
#include "applications/phases/phase_file.hpp"

#include "applications/random.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace phases {
namespace {

constexpr MPI_Offset element_bytes = sizeof(std::uint64_t);

std::uint64_t element(std::int64_t phase, std::int64_t place) {
    return applications::mixed(static_cast<std::uint64_t>(place) ^
                               applications::mixed(static_cast<std::uint64_t>(phase)));
}

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
};

Range block(std::int64_t elements, int rank, int ranks) {
    return {elements * rank / ranks, elements * (rank + 1) / ranks};
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

/// This process' part, piece by piece; a process that has none left comes along without elements.
class Pieces {
public:
    Pieces(const PhaseFile &file, const Place &place)
        : mine_(block(file.elements, place.rank, place.ranks)),
          piece_(std::max<std::int64_t>(1, file.piece / place.ranks)),
          most_((file.elements + place.ranks - 1) / place.ranks) {}

    std::int64_t count() const { return (most_ + piece_ - 1) / piece_; }
    Range operator[](std::int64_t number) const {
        const std::int64_t first = std::min(mine_.first + number * piece_, mine_.end);
        return {first, std::min(first + piece_, mine_.end)};
    }

private:
    Range mine_;
    std::int64_t piece_, most_;
};

void fill(std::vector<std::uint64_t> &values, const Range &range, std::int64_t phase) {
    values.resize(static_cast<std::size_t>(range.end - range.first));
    std::int64_t place = range.first;
    for (std::uint64_t &each : values) each = element(phase, place++);
}

int write_piece(MPI_File file, const Range &range, std::span<const std::uint64_t> values) {
    const int code = MPI_File_write_at_all(file, range.first * element_bytes, values.data(),
                                           static_cast<int>(values.size()), MPI_UINT64_T, MPI_STATUS_IGNORE);
    const int synced = MPI_File_sync(file);
    return code == MPI_SUCCESS ? synced : code;
}

}

std::int64_t PhaseFile::share(int rank, int ranks) const {
    const Range mine = block(elements, rank, ranks);
    return mine.end - mine.first;
}

std::string PhaseFile::make(MPI_Comm comm) const {
    MPI_File file = MPI_FILE_NULL;
    const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
    int code = MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, &file);
    if (code == MPI_SUCCESS) {
        code = MPI_File_set_size(file, elements * element_bytes);
        MPI_File_close(&file);
    }
    const std::string why = first_error(comm, code);
    return why.empty() ? "" : path + ": cannot be made: " + why;
}

std::string PhaseFile::write(MPI_Comm comm, std::int64_t phase) const {
    MPI_File file = MPI_FILE_NULL;
    std::string why = first_error(comm, MPI_File_open(comm, path.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
    const Pieces pieces(*this, Place(comm));
    std::vector<std::uint64_t> values;
    int code = MPI_SUCCESS;
    for (std::int64_t number = 0; why.empty() && number < pieces.count(); ++number) {
        const Range range = pieces[number];
        fill(values, range, phase);
        const int written = write_piece(file, range, values);
        if (code == MPI_SUCCESS) code = written;
    }
    if (file != MPI_FILE_NULL) MPI_File_close(&file);
    if (why.empty()) why = first_error(comm, code);
    return why.empty() ? "" : path + ": cannot be written: " + why;
}

std::string PhaseFile::check(MPI_Comm comm, std::int64_t phase) const {
    MPI_File file = MPI_FILE_NULL;
    std::string why = first_error(comm, MPI_File_open(comm, path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    const Pieces pieces(*this, Place(comm));
    std::vector<std::uint64_t> wanted, found;
    std::int64_t wrong = 0, all = 0;
    for (std::int64_t number = 0; why.empty() && number < pieces.count(); ++number) {
        const Range range = pieces[number];
        fill(wanted, range, phase);
        found.assign(wanted.size(), 0);
        MPI_File_read_at(file, range.first * element_bytes, found.data(), static_cast<int>(found.size()), MPI_UINT64_T,
                         MPI_STATUS_IGNORE);
        for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] != wanted[i];
    }
    if (file != MPI_FILE_NULL) MPI_File_close(&file);
    if (!why.empty()) return path + ": cannot be read: " + why;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT64_T, MPI_SUM, comm);
    return all == 0
               ? ""
               : path + ": " + std::to_string(all) + " numbers are not those of I/O phase " + std::to_string(phase);
}

}
