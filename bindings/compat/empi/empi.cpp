// SPDX-License-Identifier: BSD-3-Clause
// The C boundary of FlexMPI's interface, and the three calls of MPI that it puts itself before (MPI 4.0, section 15.2).
#include "job.hpp"

#include "../complaint.hpp"

#include <nereus/compat/empi.h>

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>

namespace {

using nereus::compat::EmpiArray;
using nereus::compat::EmpiJob;
using nereus::compat::EmpiSparse;
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

/// FlexMPI's examples end with exit(1), after which launchers end the whole job; what has left must not do that.
bool has_left = false;

void end_well() {
    if (!has_left) return;
    std::fflush(nullptr);
    _exit(0);
}

/// Behind all that the program registers to be done at its end, since this comes before main().
const int at_exit = std::atexit(end_well);

void say_not_measured(const char *call) {
    EmpiJob::only().say_once(std::string(call) + ": 0, since Nereus does not measure what programs compute and "
                                                 "communicate");
}

void say_no_effect(const char *call) {
    EmpiJob::only().say_once(std::string(call) + ": of no effect: sizes come from outside (nereus resize JOB N, or "
                                                 "NEREUS_EMPI_SCHEDULE), and rows are cut equally");
}

template <class T> void give(T *place, T value) {
    if (place != nullptr) *place = value;
}

}

extern "C" {

MPI_Comm EMPI_COMM_WORLD = MPI_COMM_NULL;

#define NEREUS_EMPI_DEFINED(type, name) type name;
#define NEREUS_EMPI_DEFINED_FIELD(type, name, dimensions) type name dimensions;
NEREUS_EMPI_VARIABLES(NEREUS_EMPI_DEFINED)
NEREUS_EMPI_FIELDS(NEREUS_EMPI_DEFINED_FIELD)

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
    const int code = PMPI_Finalize();
    has_left = EmpiJob::only().removed();
    return code;
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

int EMPI_Get_status(int *status) {
    const int own = EmpiJob::only().removed() ? EMPI_REMOVED : EMPI_ACTIVE;
    give(status, own);
    return own;
}

void EMPI_Get_type(int *type) { give(type, EmpiJob::only().newcomer() ? EMPI_SPAWNED : EMPI_NATIVE); }

void EMPI_Register_dense(char *id, void *addr, MPI_Datatype datatype, int size, int mapping) {
    enter(id, addr, datatype, size, size, mapping);
}

void EMPI_Register_vector(char *id, void *addr, MPI_Datatype datatype, int size, int mapping) {
    enter(id, addr, datatype, size, 1, mapping);
}

void EMPI_Register(char *id, void *addr, MPI_Datatype datatype, int size, int mapping) {
    EMPI_Register_vector(id, addr, datatype, size, mapping);
}

void EMPI_Register_sparse(char *id, void *addr_row, void *addr_col, void *addr_val, MPI_Datatype datatype, int size,
                          int) {
    const std::string name(id == nullptr ? "" : id);
    if (name.empty()) give_up("FlexMPI's arrays need a name");
    if (size < 1) give_up("\"" + name + "\": size = " + std::to_string(size) + ": from 1");
    EmpiSparse matrix{name, size, extent_of(datatype)};
    if (!EmpiJob::only().newcomer()) {
        matrix.starts = static_cast<int *>(addr_row);
        matrix.columns = static_cast<int *>(addr_col);
        matrix.values = addr_val;
        if (matrix.starts == nullptr || matrix.starts[0] != 0)
            give_up("\"" + name + "\": addr_row has the begin of each row, counted from 0 on each process");
    }
    EmpiJob::only().sparses.add(matrix);
}

void EMPI_Get_addr_sparse(char *id, void **addr_row, void **addr_col, void **addr_val) {
    const EmpiSparse none, *found = id == nullptr ? nullptr : EmpiJob::only().sparses.find(id);
    const EmpiSparse &matrix = found == nullptr ? none : *found;
    give<void *>(addr_row, matrix.starts);
    give<void *>(addr_col, matrix.columns);
    give<void *>(addr_val, matrix.values);
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

void EMPI_Get_shared_data(int *it) { EMPI_Get_shared(it); }

void *EMPI_malloc(size_t size) { return std::malloc(size); }
void *EMPI_calloc(size_t nmemb, size_t size) { return std::calloc(nmemb, size); }

void EMPI_free(void *addr, char *id) {
    EmpiJob &job = EmpiJob::only();
    if (const EmpiSparse *matrix = id == nullptr ? nullptr : job.sparses.find(id)) {
        for (void *memory : {static_cast<void *>(matrix->starts), static_cast<void *>(matrix->columns), matrix->values})
            std::free(memory); // as FlexMPI: not `addr`, which is what the program holds them by
        job.forget(id);
        return;
    }
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

void EMPI_Get_aggregated_tcomm(double *tcomm) {
    say_not_measured("EMPI_Get_aggregated_tcomm");
    give(tcomm, 0.0);
}

void EMPI_Get_aggregated_tcomp(double *tcomp) {
    say_not_measured("EMPI_Get_aggregated_tcomp");
    give(tcomp, 0.0);
}

void EMPI_Rdata_spawn_cost(int, int, double *cost) {
    say_not_measured("EMPI_Rdata_spawn_cost");
    give(cost, 0.0);
}

void EMPI_Rdata_remove_cost(int, int, double *cost) {
    say_not_measured("EMPI_Rdata_remove_cost");
    give(cost, 0.0);
}

void EMPI_Get_minprocs(int *nprocs) { give(nprocs, 1); }
void EMPI_Set_maxprocs(int) { say_no_effect("EMPI_Set_maxprocs"); }
void EMPI_Set_policy(int) { say_no_effect("EMPI_Set_policy"); }
void EMPI_Set_niter(int) { say_no_effect("EMPI_Set_niter"); }
void EMPI_Set_lbpolicy(int) { say_no_effect("EMPI_Set_lbpolicy"); }
void EMPI_Enable_lbalance(void) { say_no_effect("EMPI_Enable_lbalance"); }
void EMPI_Disable_lbalance(void) { say_no_effect("EMPI_Disable_lbalance"); }

int EMPI_Spawn(int, char **, char *, int *, MPI_Info *) {
    say_no_effect("EMPI_Spawn");
    return EMPI_ERROR;
}

int EMPI_Remove(int, int *) {
    say_no_effect("EMPI_Remove");
    return EMPI_ERROR;
}

void EMPI_alloc(void) {}
int EMPI_status_alloc(void) { return 1; }
}
