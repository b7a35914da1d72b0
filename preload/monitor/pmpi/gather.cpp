// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/gather.hpp"

#include "pmpi/tree.hpp"

#include <string>

namespace nereus::pmpi {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20;
constexpr int tag = 1;

/// Text on its way to the parent; an empty message ends it.
class Upwards {
public:
    Upwards(MPI_Comm comm, int parent) : comm_(comm), parent_(parent) {}
    ~Upwards() {
        if (!waiting_.empty()) send();
        send();
    }
    Upwards(const Upwards &) = delete;
    Upwards &operator=(const Upwards &) = delete;

    void operator()(std::string_view text) {
        while (!text.empty()) {
            const std::string_view part = text.substr(0, piece - waiting_.size());
            waiting_ += part;
            text.remove_prefix(part.size());
            if (waiting_.size() == piece) send();
        }
    }

private:
    void send() {
        PMPI_Send(waiting_.data(), static_cast<int>(waiting_.size()), MPI_CHAR, parent_, tag, comm_);
        waiting_.clear();
    }

    MPI_Comm comm_;
    int parent_;
    std::string waiting_;
};

void pass_on(MPI_Comm comm, int child, const TakeText &take) {
    std::string text(piece, '\0');
    for (;;) {
        MPI_Status status;
        int length = 0;
        PMPI_Recv(text.data(), static_cast<int>(piece), MPI_CHAR, child, tag, comm, &status);
        PMPI_Get_count(&status, MPI_CHAR, &length);
        if (length == 0) return;
        take(std::string_view(text).substr(0, length));
    }
}

}

void gather(MPI_Comm comm, const std::function<void(const TakeText &)> &own, const TakeText &take) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    const auto all = [&](const TakeText &into) {
        own(into);
        for (const int child : children_in_tree(rank, ranks)) pass_on(comm, child, into);
    };
    if (rank == 0) return all(take);
    Upwards upwards(comm, parent_in_tree(rank));
    all(std::ref(upwards));
}

}
