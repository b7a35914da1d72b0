/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands before all collectives of each communicator, whichever components carry them out. */
#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/coll.h"
#include "pmpi/components.h"

struct nereus_coll_module {
    mca_coll_base_module_t super;
    mca_coll_base_comm_coll_t below; /* functions and modules, as they were before this one came */
};
typedef struct nereus_coll_module nereus_coll_module;

#include "coll_wrappers.c"

static void retain(mca_coll_base_module_t *module) { OBJ_RETAIN(module); }
static void release(mca_coll_base_module_t *module) { OBJ_RELEASE(module); }

static void construct(nereus_coll_module *own) { memset(&own->below, 0, sizeof own->below); }
static void destruct(nereus_coll_module *own) { nereus_coll_each_module(&own->below, release); }

OBJ_CLASS_DECLARATION(nereus_coll_module);
OBJ_CLASS_INSTANCE(nereus_coll_module, mca_coll_base_module_t, construct, destruct);

/* Of all modules this one is enabled last: it has the highest priority. */
static int enable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm) {
    nereus_coll_module *own = (nereus_coll_module *)module;
    own->below = *comm->c_coll;
    nereus_coll_each_module(&own->below, retain);
    nereus_coll_stand_before(own, comm->c_coll);
    return OMPI_SUCCESS;
}

static int init_query(bool has_progress_threads, bool has_threads) {
    (void)has_progress_threads, (void)has_threads;
    nereus_component_is_there(NEREUS_COLL);
    return OMPI_SUCCESS;
}

static mca_coll_base_module_t *comm_query(struct ompi_communicator_t *comm, int *priority) {
    (void)comm;
    if (!nereus_components_wanted()) return NULL;
    nereus_coll_module *own = OBJ_NEW(nereus_coll_module);
    if (!own) return NULL;
    *priority = 100;
    own->super.coll_module_enable = enable;
    return &own->super;
}

OMPI_MODULE_DECLSPEC extern const mca_coll_base_component_2_0_0_t mca_coll_nereus_component;
const mca_coll_base_component_2_0_0_t mca_coll_nereus_component = {
    .collm_version = {MCA_COLL_BASE_VERSION_2_0_0, .mca_component_name = "nereus",
                      MCA_BASE_MAKE_VERSION(component, 0, 1, 0)},
    .collm_data = {MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .collm_init_query = init_query,
    .collm_comm_query = comm_query,
};
