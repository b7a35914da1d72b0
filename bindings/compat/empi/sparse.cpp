// SPDX-License-Identifier: BSD-3-Clause
#include "sparse.hpp"

#include "../complaint.hpp"
#include "arrays.hpp"
#include "text_of_first.hpp"

#include <algorithm>
#include <numeric>
#include <sstream>

namespace nereus::compat {
namespace {

using Numbers = std::vector<int>;

/// One all-to-all: how many items go to each process of both sides, and from where.
struct Exchange {
    explicit Exchange(int processes) : out(static_cast<std::size_t>(processes)), out_at(out), in(out), in_at(out) {}

    void run(const void *from, void *to, MPI_Datatype type, MPI_Comm comm) const {
        MPI_Alltoallv(from, out.data(), out_at.data(), type, to, in.data(), in_at.data(), type, comm);
    }

    Numbers out, out_at, in, in_at;
};

Rows common(Rows one, Rows other) {
    const int first = std::max(one.first, other.first);
    const int end = std::min(one.first + one.count, other.first + other.count);
    return {first, std::max(0, end - first)};
}

/// By rows. A process that is not on a side has none there.
Exchange of_rows(const nereus_sides &sides, int rows, Rows before, Rows after) {
    int processes = 0;
    MPI_Comm_size(sides.comm, &processes);
    Exchange exchange(processes);
    for (int drain = 0; drain < sides.drains; ++drain) {
        const Rows part = common(before, rows_of(drain, sides.drains, rows));
        const auto place = static_cast<std::size_t>(sides.drain_ranks[drain]);
        exchange.out[place] = part.count;
        exchange.out_at[place] = part.count > 0 ? part.first - before.first : 0;
    }
    for (int source = 0; source < sides.sources; ++source) {
        const Rows part = common(after, rows_of(source, sides.sources, rows));
        const auto place = static_cast<std::size_t>(source);
        exchange.in[place] = part.count;
        exchange.in_at[place] = part.count > 0 ? part.first - after.first : 0;
    }
    return exchange;
}

/// The same by nonzeros, where rows begin as `before` and `after` say.
Exchange of_nonzeros(const Exchange &rows, const int *before, const int *after) {
    Exchange exchange = rows;
    for (std::size_t place = 0; place < rows.out.size(); ++place) {
        if (rows.out[place] > 0) {
            exchange.out_at[place] = before[rows.out_at[place]];
            exchange.out[place] = before[rows.out_at[place] + rows.out[place]] - exchange.out_at[place];
        }
        if (rows.in[place] > 0) {
            exchange.in_at[place] = after[rows.in_at[place]];
            exchange.in[place] = after[rows.in_at[place] + rows.in[place]] - exchange.in_at[place];
        }
    }
    return exchange;
}

Memory allocated(std::int64_t items, std::int64_t bytes) {
    return Memory(std::malloc(static_cast<std::size_t>(std::max<std::int64_t>(items * bytes, 1))));
}

bool everywhere(bool mine, MPI_Comm comm) {
    int here = mine ? 1 : 0, all = 0;
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, comm);
    return all == 1;
}

}

EmpiSparse *EmpiSparses::find(const std::string &id) {
    const auto found = std::find_if(matrices_.begin(), matrices_.end(), [&](const auto &one) { return one.id == id; });
    return found == matrices_.end() ? nullptr : &*found;
}

void EmpiSparses::add(const EmpiSparse &matrix) {
    if (find(matrix.id) != nullptr) give_up("\"" + matrix.id + "\" is registered already");
    matrices_.push_back(matrix);
}

void EmpiSparses::remove(const std::string &id) {
    std::erase_if(matrices_, [&](const auto &one) { return one.id == id; });
}

void EmpiSparses::settle(bool newcomer) {
    for (EmpiSparse &matrix : matrices_) {
        if (matrix.settled) continue;
        matrix.settled = true;
        if (!newcomer) continue;
        const auto found =
            std::find_if(moved_.begin(), moved_.end(), [&](const auto &one) { return one.id == matrix.id; });
        if (found == moved_.end() || found->rows != matrix.rows || found->value_bytes != matrix.value_bytes)
            give_up("this newcomer registers \"" + matrix.id + "\", which the job has not, or with another size");
        hand_over(*found, matrix);
    }
    moved_.clear();
}

void EmpiSparses::hand_over(Moved &moved, EmpiSparse &matrix) {
    matrix.starts = static_cast<int *>(moved.starts.release());
    matrix.columns = static_cast<int *>(moved.columns.release());
    matrix.values = moved.values.release();
}

int EmpiSparses::move(const nereus_sides &sides) {
    bool is_good = share_table(sides);
    for (std::size_t number = 0; is_good && number < moved_.size(); ++number) is_good = move_one(moved_[number], sides);
    return is_good ? 0 : 1;
}

/// A line for each matrix: rows, bytes of a value, id. @return whether all sources have those of the first
bool EmpiSparses::share_table(const nereus_sides &sides) {
    std::ostringstream lines;
    for (const EmpiSparse &matrix : matrices_)
        lines << matrix.rows << ' ' << matrix.value_bytes << ' ' << matrix.id << '\n';
    moved_.clear();
    std::istringstream stream(text_of_first(lines.str(), sides.comm));
    Moved moved;
    bool has_all = true;
    while (stream >> moved.rows >> moved.value_bytes && std::getline(stream.ignore(1), moved.id)) {
        has_all = has_all && (sides.source < 0 || find(moved.id) != nullptr);
        moved_.push_back(std::move(moved));
        moved = {};
    }
    return everywhere(has_all, sides.comm);
}

bool EmpiSparses::move_one(Moved &moved, const nereus_sides &sides) {
    const EmpiSparse none, *own = sides.source < 0 ? &none : find(moved.id);
    const Rows before = sides.source < 0 ? Rows{0, 0} : rows_of(sides.source, sides.sources, moved.rows);
    const Rows after = sides.drain < 0 ? Rows{0, 0} : rows_of(sides.drain, sides.drains, moved.rows);
    const Exchange rows = of_rows(sides, moved.rows, before, after);

    Numbers lengths(static_cast<std::size_t>(before.count));
    for (int row = 0; row < before.count; ++row)
        lengths[static_cast<std::size_t>(row)] = own->starts[row + 1] - own->starts[row];
    moved.starts = allocated(after.count + 1, sizeof(int));
    if (!everywhere(moved.starts != nullptr, sides.comm)) return false;
    int *starts = static_cast<int *>(moved.starts.get());
    starts[0] = 0;
    rows.run(lengths.data(), starts + 1, MPI_INT, sides.comm);
    std::partial_sum(starts, starts + after.count + 1, starts);

    const Exchange nonzeros = of_nonzeros(rows, own->starts, starts);
    moved.columns = allocated(starts[after.count], sizeof(int));
    moved.values = allocated(starts[after.count], moved.value_bytes);
    if (!everywhere(moved.columns != nullptr && moved.values != nullptr, sides.comm)) return false;
    nonzeros.run(own->columns, moved.columns.get(), MPI_INT, sides.comm);
    MPI_Datatype value = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(moved.value_bytes), MPI_BYTE, &value);
    MPI_Type_commit(&value);
    nonzeros.run(own->values, moved.values.get(), value, sides.comm);
    MPI_Type_free(&value);
    return true;
}

/// A newcomer's rows wait until it has registered the matrix.
void EmpiSparses::adopt(const nereus_sides &sides) {
    if (sides.source < 0) return;
    for (Moved &moved : moved_) {
        EmpiSparse *matrix = find(moved.id);
        if (sides.drain < 0 || matrix == nullptr) continue;
        std::free(matrix->starts);
        std::free(matrix->columns);
        std::free(matrix->values);
        hand_over(moved, *matrix);
    }
    drop();
}

}
