// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include "../complaint.hpp"
#include "text_of_first.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sstream>
#include <utility>

namespace nereus::compat {
namespace {

void *allocate(std::size_t bytes, void *context) {
    auto &array = *static_cast<EmpiArray *>(context);
    if (array.offered != nullptr) return std::exchange(array.offered, nullptr);
    return std::malloc(std::max<std::size_t>(bytes, 1));
}

/// As FlexMPI does: registered memory is of malloc().
void release(void *memory, void *) { std::free(memory); }

MPI_Datatype bytes_in_a_row(std::int64_t bytes) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

}

Rows rows_of(int rank, int size, int all) {
    const int extra = all % size;
    return {all / size * rank + std::min(rank, extra), all / size + (rank < extra ? 1 : 0)};
}

EmpiArray *EmpiArrays::find(const std::string &id) {
    const auto found = std::find_if(arrays_.begin(), arrays_.end(), [&](const auto &array) { return array->id == id; });
    return found == arrays_.end() ? nullptr : found->get();
}

void EmpiArrays::add(EmpiArray array) {
    if (find(array.id) != nullptr) give_up("\"" + array.id + "\" is registered already");
    arrays_.push_back(std::make_unique<EmpiArray>(std::move(array)));
}

void EmpiArrays::remove(nereus_job *job, const std::string &id) {
    const EmpiArray *array = find(id);
    if (array == nullptr) return;
    if (array->entered && !array->shared && job != nullptr) nereus_forget(job, array->name().c_str());
    std::erase_if(arrays_, [&](const auto &one) { return one->id == id; });
}

void EmpiArrays::settle(nereus_job *job, bool newcomer) {
    for (auto &array : arrays_)
        if (!array->entered) enter(job, *array, newcomer);
    shared_.clear();
}

void EmpiArrays::enter(nereus_job *job, EmpiArray &array, bool newcomer) {
    array.entered = true;
    if (array.shared) {
        if (newcomer) fill(array);
        return;
    }
    if (newcomer) array.offered = std::exchange(array.data, nullptr);
    const nereus_memory memory{allocate, release, &array};
    MPI_Datatype row = bytes_in_a_row(array.row_bytes);
    const int code = nereus_array_of(job, array.name().c_str(), row, array.rows, NEREUS_BLOCK, NEREUS_VARIABLE,
                                     &array.data, &memory);
    MPI_Type_free(&row);
    if (code != NEREUS_OK) give_up("\"" + array.id + "\" is not taken: " + nereus_message(job));
    if (array.data == nullptr) array.data = std::exchange(array.offered, nullptr); // no rows are here
}

void EmpiArrays::fill(EmpiArray &array) {
    const auto found =
        std::find_if(shared_.begin(), shared_.end(), [&](const EmpiArray &one) { return one.id == array.id; });
    if (found == shared_.end() || found->next.size() != array.bytes())
        give_up("this newcomer registers \"" + array.id + "\", which the job has not, or with another size");
    std::memcpy(array.data, found->next.data(), array.bytes());
}

int EmpiArrays::gather(const nereus_sides &sides) {
    share_table(sides);
    if (!make_room(sides)) return 1;
    for (EmpiArray &array : shared_) gather_one(array, sides);
    return 0;
}

/// A line for each shared array: rows, bytes of a row, id.
void EmpiArrays::share_table(const nereus_sides &sides) {
    std::ostringstream lines;
    for (const auto &array : arrays_)
        if (array->shared) lines << array->rows << ' ' << array->row_bytes << ' ' << array->id << '\n';
    shared_.clear();
    std::istringstream stream(text_of_first(sides.source >= 0 ? lines.str() : "", sides.comm));
    EmpiArray array;
    while (stream >> array.rows >> array.row_bytes && std::getline(stream.ignore(1), array.id)) {
        const EmpiArray *own = find(array.id);
        array.data = own != nullptr ? own->data : nullptr;
        shared_.push_back(array);
    }
}

/// @return whether all have it, and all sources have the arrays of the first
bool EmpiArrays::make_room(const nereus_sides &sides) {
    int mine = 1, all = 0;
    try {
        for (EmpiArray &array : shared_) {
            array.next.resize(array.bytes());
            if (sides.source >= 0 && array.data == nullptr) mine = 0;
        }
    } catch (const std::bad_alloc &) {
        mine = 0;
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, sides.comm);
    return all == 1;
}

void EmpiArrays::gather_one(EmpiArray &array, const nereus_sides &sides) const {
    int size = 0;
    MPI_Comm_size(sides.comm, &size);
    std::vector<int> counts(static_cast<std::size_t>(size)), firsts(counts);
    for (int source = 0; source < sides.sources; ++source) {
        const Rows rows = rows_of(source, sides.sources, array.rows);
        counts[static_cast<std::size_t>(source)] = rows.count;
        firsts[static_cast<std::size_t>(source)] = rows.first;
    }
    const Rows own = sides.source < 0 ? Rows{0, 0} : rows_of(sides.source, sides.sources, array.rows);
    const char *part = static_cast<const char *>(array.data);
    MPI_Datatype row = bytes_in_a_row(array.row_bytes);
    MPI_Allgatherv(part == nullptr ? nullptr : part + own.first * array.row_bytes, own.count, row, array.next.data(),
                   counts.data(), firsts.data(), row, sides.comm);
    MPI_Type_free(&row);
}

/// A newcomer's rows wait until it has a buffer for them.
void EmpiArrays::adopt(const nereus_sides &sides) {
    if (sides.source < 0) return;
    for (const EmpiArray &array : shared_)
        if (sides.drain >= 0) std::memcpy(array.data, array.next.data(), array.next.size());
    drop();
}

void EmpiArrays::drop() { shared_.clear(); }

}
