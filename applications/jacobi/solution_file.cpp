// SPDX-License-Identifier: BSD-3-Clause
#include "applications/jacobi/solution_file.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <utility>
#include <vector>

namespace jacobi {
namespace {

constexpr MPI_Offset element_bytes = sizeof(double);

/// An open file of all processes. After an error that any of them had, the other calls do nothing.
class SharedFile {
public:
    SharedFile(MPI_Comm comm, const std::string &path) : comm_(comm), path_(path) {
        const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
        note(MPI_File_open(comm, path.c_str(), mode, MPI_INFO_NULL, &file_));
    }
    SharedFile(const SharedFile &) = delete;
    SharedFile &operator=(const SharedFile &) = delete;
    ~SharedFile() { close(); }

    void resize(std::int64_t elements) {
        if (complaint_.empty()) note(MPI_File_set_size(file_, elements * element_bytes));
    }

    void write(std::int64_t first, std::span<const double> mine) {
        if (!complaint_.empty()) return;
        char representation[] = "native"; // MPI 2 has no const here
        note(MPI_File_set_view(file_, first * element_bytes, MPI_DOUBLE, MPI_DOUBLE, representation, MPI_INFO_NULL));
        if (!complaint_.empty()) return;
        note(MPI_File_write_all(file_, mine.data(), static_cast<int>(mine.size()), MPI_DOUBLE, MPI_STATUS_IGNORE));
    }

    /// What went wrong until now, and in closing.
    std::string end() {
        if (file_ != MPI_FILE_NULL) note(close());
        return complaint_;
    }

private:
    int close() { return file_ == MPI_FILE_NULL ? MPI_SUCCESS : MPI_File_close(&file_); }

    void note(int code) {
        int worst = 0;
        MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, comm_);
        if (worst == MPI_SUCCESS || !complaint_.empty()) return;
        char text[MPI_MAX_ERROR_STRING];
        int length = 0;
        MPI_Error_string(worst, text, &length);
        const std::string reason(text, static_cast<std::size_t>(length));
        complaint_ = path_ + ": cannot be written: " + reason.substr(0, reason.find_first_of(",\n"));
    }

    MPI_Comm comm_;
    std::string path_;
    MPI_File file_ = MPI_FILE_NULL;
    std::string complaint_;
};

}

std::string make_file(MPI_Comm comm, const std::string &path, std::int64_t elements) {
    SharedFile file(comm, path);
    file.resize(elements);
    return file.end();
}

std::string write_file(MPI_Comm comm, const std::string &path, std::int64_t first, std::span<const double> mine) {
    SharedFile file(comm, path);
    file.write(first, mine);
    return file.end();
}

std::int64_t wrong_in_file(const std::string &path, std::int64_t first, std::span<const double> mine) {
    std::vector<double> stored(mine.size());
    std::ifstream file(path, std::ios::binary);
    file.seekg(first * element_bytes);
    if (!file.read(reinterpret_cast<char *>(stored.data()), std::ssize(stored) * element_bytes))
        return std::ssize(mine);
    const auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };
    std::int64_t wrong = 0;
    for (std::size_t i = 0; i < mine.size(); ++i) wrong += bits(mine[i]) != bits(stored[i]);
    return wrong;
}

}
