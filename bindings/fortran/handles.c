/* SPDX-License-Identifier: BSD-3-Clause */
/* What Fortran cannot do itself: its MPI handles are integers, which only C turns into those of mpi.h (MPI 4.0, section
 * 19.3.4). Called by nereus.f90 and nereus_distributed_arrays.f90 alone; everything else there calls nereus.h directly.
 */
#include <nereus/nereus.h>

int nereus_fortran_open(MPI_Fint comm, int argc, char **argv, nereus_job **job);
int nereus_fortran_array(nereus_job *job, const char *name, MPI_Fint type, int64_t elements,
                         const nereus_distribution *distribution, enum nereus_kind kind, void **pointer,
                         int64_t *extent);
int nereus_fortran_value(nereus_job *job, const char *name, MPI_Fint type, int64_t elements, void *value);
MPI_Fint nereus_fortran_comm(const nereus_job *job);
int nereus_fortran_redistribute(MPI_Fint comm, MPI_Fint type, int64_t elements, const nereus_distributed *from,
                                const void *old_part, const nereus_distributed *to, void *new_part);
int nereus_fortran_transpose(MPI_Fint comm, MPI_Fint type, const nereus_distributed *from, const void *old_part,
                             const nereus_distributed *to, void *new_part);

int nereus_fortran_open(MPI_Fint comm, int argc, char **argv, nereus_job **job) {
    return nereus_open(MPI_Comm_f2c(comm), argc, argv, job);
}

/* @param[out] extent  bytes of one element */
int nereus_fortran_array(nereus_job *job, const char *name, MPI_Fint type, int64_t elements,
                         const nereus_distribution *distribution, enum nereus_kind kind, void **pointer,
                         int64_t *extent) {
    MPI_Aint lower = 0, bytes = 0;
    const MPI_Datatype datatype = MPI_Type_f2c(type);
    const int code = nereus_array_distributed(job, name, datatype, elements, distribution, kind, pointer, NULL);
    if (code >= 0) MPI_Type_get_extent(datatype, &lower, &bytes);
    *extent = bytes;
    return code;
}

int nereus_fortran_value(nereus_job *job, const char *name, MPI_Fint type, int64_t elements, void *value) {
    return nereus_value(job, name, MPI_Type_f2c(type), elements, value);
}

MPI_Fint nereus_fortran_comm(const nereus_job *job) { return MPI_Comm_c2f(nereus_comm(job)); }

int nereus_fortran_redistribute(MPI_Fint comm, MPI_Fint type, int64_t elements, const nereus_distributed *from,
                                const void *old_part, const nereus_distributed *to, void *new_part) {
    return nereus_redistribute(MPI_Comm_f2c(comm), MPI_Type_f2c(type), elements, from, old_part, to, new_part);
}

int nereus_fortran_transpose(MPI_Fint comm, MPI_Fint type, const nereus_distributed *from, const void *old_part,
                             const nereus_distributed *to, void *new_part) {
    return nereus_transpose(MPI_Comm_f2c(comm), MPI_Type_f2c(type), from, old_part, to, new_part);
}
