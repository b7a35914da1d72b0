// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/global_order.hpp"

#include "base/index.hpp"
#include "plan/global_runs.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <vector>

namespace nereus::job {
namespace {

constexpr std::int64_t most_window_bytes = std::int64_t{8} << 20;
/// Of all windows together, of which one process may have all elements.
constexpr std::int64_t most_elements_of_turn = std::int64_t{1} << 30;

int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

using Runs = std::vector<plan::GlobalRun>;

int count_of(const Runs &runs) {
    std::int64_t count = 0;
    for (const plan::GlobalRun &run : runs) count += run.count;
    return static_cast<int>(count);
}

/// Counts of MPI are elements, so that they fit into an int.
class ElementType {
public:
    explicit ElementType(std::int64_t extent) {
        MPI_Type_contiguous(static_cast<int>(extent), MPI_BYTE, &type_);
        MPI_Type_commit(&type_);
    }
    ElementType(const ElementType &) = delete;
    ElementType &operator=(const ElementType &) = delete;
    ~ElementType() { MPI_Type_free(&type_); }
    MPI_Datatype get() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// What goes to each process, or comes from each, one behind the other.
struct Packed {
    std::vector<int> counts, places;
    std::vector<std::byte> bytes;

    Packed(const std::vector<Runs> &of_each, std::int64_t extent) {
        int place = 0;
        for (const Runs &runs : of_each) {
            counts.push_back(count_of(runs));
            places.push_back(place);
            place += counts.back();
        }
        bytes.resize(static_cast<std::size_t>(place * extent));
    }
};

}

/// One turn: what this process' part has in the windows of others, and what of its own window others have.
class GlobalOrder::Turn {
public:
    Turn(const GlobalOrder &order, std::int64_t number)
        : order_(order), own_(order.window(order.rank_, number)), part_(runs_of_part(number)),
          window_(runs_of_window()), of_part_(part_, order.extent_), of_window_(window_, order.extent_),
          bytes_(static_cast<std::size_t>(own_.count() * order.extent_)) {}

    plan::Range elements() const { return own_; }
    std::byte *bytes() { return bytes_.data(); } ///< of the elements, in global order

    Done gather(const std::byte *part, MPI_Datatype type) {
        auto *to = of_part_.bytes.data();
        for (const Runs &runs : part_)
            for (const plan::GlobalRun &run : runs) to = copied(part + run.place * order_.extent_, run, to);
        if (auto done = exchange(of_part_, of_window_, type); !done) return done;
        const auto *from = of_window_.bytes.data();
        for (const Runs &runs : window_)
            for (const plan::GlobalRun &run : runs) {
                copied(from, run, bytes() + (run.first - own_.first) * order_.extent_);
                from += run.count * order_.extent_;
            }
        return {};
    }

    Done scatter(std::byte *part, MPI_Datatype type) {
        auto *to = of_window_.bytes.data();
        for (const Runs &runs : window_)
            for (const plan::GlobalRun &run : runs)
                to = copied(bytes() + (run.first - own_.first) * order_.extent_, run, to);
        if (auto done = exchange(of_window_, of_part_, type); !done) return done;
        const auto *from = of_part_.bytes.data();
        for (const Runs &runs : part_)
            for (const plan::GlobalRun &run : runs) {
                copied(from, run, part + run.place * order_.extent_);
                from += run.count * order_.extent_;
            }
        return {};
    }

private:
    std::vector<Runs> runs_of_part(std::int64_t number) const {
        std::vector<Runs> all;
        for (int rank = 0; rank < order_.size_; ++rank)
            all.push_back(plan::global_runs(order_.distribution_, order_.rank_, order_.window(rank, number)));
        return all;
    }

    std::vector<Runs> runs_of_window() const {
        std::vector<Runs> all;
        for (int rank = 0; rank < order_.size_; ++rank)
            all.push_back(plan::global_runs(order_.distribution_, rank, own_));
        return all;
    }

    /// @return behind what was copied
    std::byte *copied(const std::byte *from, const plan::GlobalRun &run, std::byte *to) const {
        const auto bytes = static_cast<std::size_t>(run.count * order_.extent_);
        std::memcpy(to, from, bytes);
        return to + bytes;
    }

    Done exchange(const Packed &from, Packed &to, MPI_Datatype type) const {
        return mpi::check(MPI_Alltoallv(from.bytes.data(), from.counts.data(), from.places.data(), type,
                                        to.bytes.data(), to.counts.data(), to.places.data(), type, order_.comm_),
                          "MPI_Alltoallv");
    }

    const GlobalOrder &order_;
    plan::Range own_;
    std::vector<Runs> part_, window_;
    Packed of_part_, of_window_;
    std::vector<std::byte> bytes_;
};

GlobalOrder::GlobalOrder(MPI_Comm comm, const plan::Distribution &distribution, std::int64_t extent)
    : comm_(comm), size_(size_of(comm)), distribution_(distribution),
      ranges_(plan::Layout::block, distribution.elements(), size_), extent_(extent),
      window_(std::max<std::int64_t>(std::min(most_window_bytes / extent, most_elements_of_turn / size_), 1)) {
    MPI_Comm_rank(comm, &rank_);
}

std::int64_t GlobalOrder::turns() const {
    const std::int64_t longest = ranges_.count_of(0); // the first ranges are the longest
    return longest / window_ + (longest % window_ != 0 ? 1 : 0);
}

plan::Range GlobalOrder::window(int rank, std::int64_t turn) const {
    const plan::Range all = ranges_.range_of(rank);
    const std::int64_t first = std::min(all.first + turn * window_, all.end);
    return {first, std::min(first + window_, all.end)};
}

Done GlobalOrder::gather(const std::byte *part, const Use &use) const {
    if (extent_ > INT_MAX) return failed(NEREUS_ERR_RANGE, "elements of 2 GiB or more cannot be dealt out");
    const ElementType type(extent_);
    Done used;
    for (std::int64_t number = 0; number < turns(); ++number) {
        Turn turn(*this, number);
        if (auto done = turn.gather(part, type.get()); !done) return done;
        if (used) used = use(turn.elements(), turn.bytes());
    }
    return used;
}

Done GlobalOrder::scatter(const Fill &fill, std::byte *part) const {
    if (extent_ > INT_MAX) return failed(NEREUS_ERR_RANGE, "elements of 2 GiB or more cannot be dealt out");
    const ElementType type(extent_);
    Done filled;
    for (std::int64_t number = 0; number < turns(); ++number) {
        Turn turn(*this, number);
        if (filled) filled = fill(turn.elements(), turn.bytes());
        if (auto done = turn.scatter(part, type.get()); !done) return done;
    }
    return filled;
}

}
