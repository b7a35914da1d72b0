/* SPDX-License-Identifier: BSD-3-Clause */
#include "messages.h"

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"

static nereus_openmpi_message seen_by = NULL;
static mca_pml_base_module_send_fn_t real_send = NULL;
static mca_pml_base_module_isend_fn_t real_isend = NULL;

static void tell(size_t count, ompi_datatype_t *type, int to, int tag, ompi_communicator_t *comm) {
    size_t size = 0;
    if (tag >= 0 || to < 0) return;
    ompi_datatype_type_size(type, &size);
    seen_by(comm, to, count * size);
}

static int send_seen(const void *buffer, size_t count, ompi_datatype_t *type, int to, int tag,
                     mca_pml_base_send_mode_t mode, ompi_communicator_t *comm) {
    tell(count, type, to, tag, comm);
    return real_send(buffer, count, type, to, tag, mode, comm);
}

static int isend_seen(const void *buffer, size_t count, ompi_datatype_t *type, int to, int tag,
                      mca_pml_base_send_mode_t mode, ompi_communicator_t *comm, ompi_request_t **request) {
    tell(count, type, to, tag, comm);
    return real_isend(buffer, count, type, to, tag, mode, comm, request);
}

void nereus_openmpi_watch(nereus_openmpi_message seen) {
    if (seen_by) return;
    seen_by = seen;
    real_send = mca_pml.pml_send;
    real_isend = mca_pml.pml_isend;
    mca_pml.pml_send = send_seen;
    mca_pml.pml_isend = isend_seen;
}

void nereus_openmpi_unwatch(void) {
    if (!seen_by) return;
    mca_pml.pml_send = real_send;
    mca_pml.pml_isend = real_isend;
    seen_by = NULL;
}
