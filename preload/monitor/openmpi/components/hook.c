/* SPDX-License-Identifier: BSD-3-Clause */
/* Begins and ends the record at the end of MPI_Init and at the beginning of MPI_Finalize. */
#include "ompi_config.h"

#include "ompi/mca/hook/hook.h"
#include "pmpi/components.h"

static void begin(int argc, char **argv, int requested, int *provided) {
    (void)argc, (void)argv, (void)requested, (void)provided;
    if (nereus_components_wanted()) nereus_components_begin();
}

static void end(void) {
    if (nereus_components_wanted()) nereus_components_end();
}

OMPI_MODULE_DECLSPEC extern const ompi_hook_base_component_t mca_hook_nereus_component;
const ompi_hook_base_component_t mca_hook_nereus_component = {
    .hookm_version = {OMPI_HOOK_BASE_VERSION_1_0_0, .mca_component_name = "nereus",
                      MCA_BASE_MAKE_VERSION(component, 0, 1, 0)},
    .hookm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .hookm_mpi_init_bottom = begin,
    .hookm_mpi_finalize_top = end,
};
