/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user of FlexMPI would lose: a program with any call, variable or constant of its header that compiles and
 * links. It is not run. */
#include <empi.h>

#define LINKED(type, name) &&sizeof(name) == sizeof(type)

static int calls(int argc, char **argv) {
    int number = argc, *numbers = &number;
    double seconds;
    void *place = argv, *other, *third;
    EMPI_Get_aggregated_tcomm(&seconds);
    EMPI_Get_aggregated_tcomp(&seconds);
    EMPI_Get_exec_time(&seconds);
    EMPI_Rdata_spawn_cost(1, 1, &seconds);
    EMPI_Rdata_remove_cost(1, 1, &seconds);
    EMPI_Get_minprocs(&number);
    EMPI_Set_maxprocs(1);
    EMPI_Set_policy(EMPI_EFFICIENCY);
    EMPI_Set_niter(1);
    EMPI_Set_lbpolicy(EMPI_LBMFLOPS);
    EMPI_Enable_lbalance();
    EMPI_Disable_lbalance();
    EMPI_alloc();
    EMPI_Register_size(1);
    EMPI_Register_sparse("s", place, place, place, MPI_INT, 1, 1);
    EMPI_Get_addr_sparse("s", &place, &other, &third);
    EMPI_Register_dense("d", place, MPI_INT, 1, EMPI_DISJOINT);
    EMPI_Register_vector("v", place, MPI_INT, 1, EMPI_SHARED);
    EMPI_Register("w", place, MPI_INT, 1, EMPI_SHARED);
    EMPI_Deregister_shared("v");
    EMPI_Get_shared(&number);
    EMPI_Get_shared_data(&number);
    EMPI_Get_status(&number);
    EMPI_Get_type(&number);
    EMPI_Get_wsize(0, 1, 1, &number, &number, NULL, NULL);
    EMPI_free(EMPI_malloc(1), "d");
    EMPI_free(EMPI_calloc(1, 1), NULL);
    EMPI_Monitor_init();
    EMPI_Monitor_end(&number, &number, 0, 1, &number, &number, &numbers, &numbers, NULL, argv, argv[0]);
    return EMPI_Spawn(1, argv, argv[0], &number, NULL) == EMPI_ERROR && EMPI_Remove(1, &number) == EMPI_ERROR &&
           EMPI_status_alloc() && EMPI_Get_addr("d") == NULL;
}

int main(int argc, char **argv) {
    if (argc > 1000000) return calls(argc, argv);
    EMPI_GLOBAL_niter_lb = EMPI_TRUE;
    return 1 NEREUS_EMPI_VARIABLES(LINKED) ? 0 : 1;
}
