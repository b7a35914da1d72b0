// SPDX-License-Identifier: BSD-3-Clause
// The C boundary of FlexMPI's interface, and the three calls of MPI that it puts itself before (MPI 4.0, section 15.2).
#include "job.hpp"

#include "../complaint.hpp"

#include <nereus/compat/empi.h>

#include <climits>
#include <cstdlib>

namespace {

using nereus::compat::EmpiArray;
using nereus::compat::EmpiJob;
using nereus::compat::give_up;
using nereus::compat::Rows;

std::int64_t extent_of(MPI_Datatype type) {
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(type, &lower, &extent);
    if (lower != 0 || extent < 1) give_up("FlexMPI's datatypes have lower bound 0 and at least 1 byte");
    return extent;
}

/// @param columns  elements of a row
void enter(const char *id, void *addr, MPI_Datatype type, int rows, int columns, int mapping) {
    if (id == nullptr || *id == '\0') give_up("FlexMPI's arrays need a name");
    const std::string name(id);
    if (mapping != EMPI_SHARED && mapping != EMPI_DISJOINT)
        give_up("\"" + name + "\": mapping is EMPI_SHARED or EMPI_DISJOINT");
    EmpiArray array;
    array.id = name;
    array.data = addr;
    array.rows = rows;
    array.row_bytes = extent_of(type) * columns;
    array.shared = mapping == EMPI_SHARED;
    if (rows < 1 || array.row_bytes > INT_MAX)
        give_up("\"" + name + "\": size = " + std::to_string(rows) + ": from 1, and a row has at most 2^31-1 bytes");
    EmpiJob::only().arrays.add(array);
}

/// A vector of the caller's, which gets another length.
void put(int **vector, int size, int Rows::*field, int all) {
    if (vector == nullptr) return;
    auto *longer = static_cast<int *>(std::realloc(*vector, static_cast<std::size_t>(size) * sizeof(int)));
    if (longer == nullptr) give_up("no memory for " + std::to_string(size) + " numbers");
    *vector = longer;
    for (int rank = 0; rank < size; ++rank) longer[rank] = nereus::compat::rows_of(rank, size, all).*field;
}

template <class T> void give(T *place, T value) {
    if (place != nullptr) *place = value;
}

}

extern "C" {

MPI_Comm EMPI_COMM_WORLD = MPI_COMM_NULL;

NEREUS_COMPAT_API int MPI_Init(int *argc, char ***argv) {
    const int code = PMPI_Init(argc, argv);
    if (code == MPI_SUCCESS) EmpiJob::only().open();
    return code;
}

NEREUS_COMPAT_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    const int code = PMPI_Init_thread(argc, argv, required, provided);
    if (code == MPI_SUCCESS) EmpiJob::only().open();
    return code;
}

NEREUS_COMPAT_API int MPI_Finalize(void) {
    EmpiJob::only().close();
    return PMPI_Finalize();
}

void EMPI_Get_wsize(int rank, int size, int dim, int *disp, int *count, int *vcounts, int *displs) {
    EmpiJob &job = EmpiJob::only();
    job.cut(dim);
    const bool removed = job.removed() || size < 1;
    const Rows own = removed ? Rows{-1, 0} : nereus::compat::rows_of(rank, size, dim);
    give(disp, own.first);
    give(count, own.count);
    for (int other = 0; other < size; ++other) {
        const Rows rows = nereus::compat::rows_of(other, size, dim);
        if (vcounts != nullptr) vcounts[other] = rows.count;
        if (displs != nullptr) displs[other] = rows.first;
    }
}

void EMPI_Get_status(int *status) { give(status, EmpiJob::only().removed() ? EMPI_REMOVED : EMPI_ACTIVE); }
void EMPI_Get_type(int *type) { give(type, EmpiJob::only().newcomer() ? EMPI_SPAWNED : EMPI_NATIVE); }

void EMPI_Register_dense(char *id, void *addr, MPI_Datatype datatype, int size, int mapping) {
    enter(id, addr, datatype, size, size, mapping);
}

void EMPI_Register_vector(char *id, void *addr, MPI_Datatype datatype, int size, int mapping) {
    enter(id, addr, datatype, size, 1, mapping);
}

void EMPI_Register_size(int size) { EmpiJob::only().cut(size); }
void EMPI_Deregister_shared(char *id) { EmpiJob::only().forget(id); }

void *EMPI_Get_addr(char *id) {
    const EmpiArray *array = EmpiJob::only().arrays.find(id);
    return array == nullptr ? nullptr : array->data;
}

void EMPI_Get_shared(int *it) {
    EmpiJob &job = EmpiJob::only();
    if (job.newcomer()) job.settle();
    give(it, job.iteration());
}

void *EMPI_malloc(size_t size) { return std::malloc(size); }
void *EMPI_calloc(size_t nmemb, size_t size) { return std::calloc(nmemb, size); }

void EMPI_free(void *addr, char *id) {
    EmpiJob &job = EmpiJob::only();
    const EmpiArray *array = id == nullptr ? nullptr : job.arrays.find(id);
    void *memory = array == nullptr ? addr : array->data; // a removed process' rows are gone already
    if (array != nullptr) job.forget(id);
    std::free(memory);
}

void EMPI_Monitor_init(void) {}

void EMPI_Monitor_end(int *rank, int *size, int iter, int, int *count, int *disp, int **vcount, int **vdisp, int *,
                      char **, char *) {
    EmpiJob &job = EmpiJob::only();
    const bool others = job.checkpoint(iter);
    give(rank, job.removed() ? -1 : job.rank());
    if (!job.removed()) give(size, job.size());
    const Rows own = job.rows();
    give(count, own.count);
    give(disp, own.first);
    if (!others || job.removed()) return;
    put(vcount, job.size(), &Rows::count, job.cut_rows());
    put(vdisp, job.size(), &Rows::first, job.cut_rows());
}

void EMPI_Get_exec_time(double *extime) { give(extime, EmpiJob::only().seconds()); }
}
