/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "messages.h"

#include "caller.h"

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/request/request.h"

#include <dlfcn.h>
#include <string.h>

static nereus_openmpi_message seen_by = NULL;
static nereus_openmpi_sent sent_seen_by = NULL;
static nereus_openmpi_to_be_sent to_be_sent_seen_by = NULL;
static mca_pml_base_module_send_fn_t real_send = NULL;
static mca_pml_base_module_isend_fn_t real_isend = NULL;
static mca_pml_base_module_isend_init_fn_t real_isend_init = NULL;

static size_t bytes_of(size_t count, const ompi_datatype_t *type) {
    size_t size = 0;
    ompi_datatype_type_size(type, &size);
    return count * size;
}

static void tell(size_t count, ompi_datatype_t *type, int to, int tag, ompi_communicator_t *comm) {
    if (tag < 0 && to >= 0) seen_by(comm, to, bytes_of(count, type));
}

/* Of the program, and not of Open MPI's own reading and writing of files. */
static bool is_watched(int code, int tag, int to, const void *caller) {
    return code == OMPI_SUCCESS && tag >= 0 && to >= 0 && sent_seen_by && nereus_openmpi_is_in_call(caller, NULL);
}

static int send_seen(const void *buffer, size_t count, ompi_datatype_t *type, int to, int tag,
                     mca_pml_base_send_mode_t mode, ompi_communicator_t *comm) {
    tell(count, type, to, tag, comm);
    const int code = real_send(buffer, count, type, to, tag, mode, comm);
    if (is_watched(code, tag, to, __builtin_return_address(0))) sent_seen_by(comm, to, bytes_of(count, type));
    return code;
}

static int isend_seen(const void *buffer, size_t count, ompi_datatype_t *type, int to, int tag,
                      mca_pml_base_send_mode_t mode, ompi_communicator_t *comm, ompi_request_t **request) {
    tell(count, type, to, tag, comm);
    const int code = real_isend(buffer, count, type, to, tag, mode, comm, request);
    if (is_watched(code, tag, to, __builtin_return_address(0))) sent_seen_by(comm, to, bytes_of(count, type));
    return code;
}

static int isend_init_seen(const void *buffer, size_t count, ompi_datatype_t *type, int to, int tag,
                           mca_pml_base_send_mode_t mode, ompi_communicator_t *comm, ompi_request_t **request) {
    const int code = real_isend_init(buffer, count, type, to, tag, mode, comm, request);
    /* Open MPI's collectives start a request of theirs once, right after they made it (coll/base, alltoall). */
    if (code == OMPI_SUCCESS) tell(count, type, to, tag, comm);
    if (is_watched(code, tag, to, __builtin_return_address(0)))
        to_be_sent_seen_by(comm, to, bytes_of(count, type), request);
    return code;
}

bool nereus_openmpi_monitors_itself(void) {
    Dl_info sender;
    const mca_pml_base_module_send_fn_t send = seen_by ? real_send : mca_pml.pml_send;
    return dladdr((const void *)send, &sender) != 0 && strstr(sender.dli_fname, "mca_pml_monitoring");
}

void nereus_openmpi_watch(nereus_openmpi_message seen) {
    if (seen_by) return;
    seen_by = seen;
    real_send = mca_pml.pml_send;
    real_isend = mca_pml.pml_isend;
    real_isend_init = mca_pml.pml_isend_init;
    mca_pml.pml_send = send_seen;
    mca_pml.pml_isend = isend_seen;
    mca_pml.pml_isend_init = isend_init_seen;
}

void nereus_openmpi_unwatch(void) {
    if (!seen_by) return;
    mca_pml.pml_send = real_send;
    mca_pml.pml_isend = real_isend;
    mca_pml.pml_isend_init = real_isend_init;
    seen_by = NULL;
}

void nereus_openmpi_watch_program(nereus_openmpi_sent sent, nereus_openmpi_to_be_sent to_be_sent) {
    sent_seen_by = sent;
    to_be_sent_seen_by = to_be_sent;
}

nereus_openmpi_start nereus_openmpi_stand_before(MPI_Request request, nereus_openmpi_start start) {
    const nereus_openmpi_start real = request->req_start;
    request->req_start = start;
    return real;
}
