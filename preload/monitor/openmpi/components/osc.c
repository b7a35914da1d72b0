/* SPDX-License-Identifier: BSD-3-Clause */
/* Stands before what moves data in each window, whichever component carries it out. */
#include "ompi_config.h"

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/osc/base/base.h"
#include "ompi/mca/osc/osc.h"
#include "ompi/win/win.h"
#include "pmpi/components.h"

#include <pthread.h>

/* Functions of each component that has a window: those of one component are the same in all of its windows. */
enum { most_components = 16 };
static ompi_osc_base_module_t below[most_components];
static int number_below = 0;

/* Told by a function that is not replaced. */
static const ompi_osc_base_module_t *below_of(const struct ompi_win_t *window) {
    int at = 0;
    while (below[at].osc_free != window->w_osc_module->osc_free) ++at;
    return &below[at];
}

static size_t bytes_of(int count, const struct ompi_datatype_t *type) {
    size_t size = 0;
    ompi_datatype_type_size(type, &size);
    return count > 0 ? size * (size_t)count : 0;
}

static int put(const void *origin, int count, struct ompi_datatype_t *type, int target, ptrdiff_t place,
               int target_count, struct ompi_datatype_t *target_type, struct ompi_win_t *window) {
    const int code = below_of(window)->osc_put(origin, count, type, target, place, target_count, target_type, window);
    if (code == OMPI_SUCCESS) nereus_seen_put(window, target, bytes_of(count, type));
    return code;
}

static int rput(const void *origin, int count, struct ompi_datatype_t *type, int target, ptrdiff_t place,
                int target_count, struct ompi_datatype_t *target_type, struct ompi_win_t *window,
                struct ompi_request_t **request) {
    const int code =
        below_of(window)->osc_rput(origin, count, type, target, place, target_count, target_type, window, request);
    if (code == OMPI_SUCCESS) nereus_seen_put(window, target, bytes_of(count, type));
    return code;
}

static int get(void *origin, int count, struct ompi_datatype_t *type, int target, ptrdiff_t place, int target_count,
               struct ompi_datatype_t *target_type, struct ompi_win_t *window) {
    const int code = below_of(window)->osc_get(origin, count, type, target, place, target_count, target_type, window);
    if (code == OMPI_SUCCESS) nereus_seen_get(window, target, bytes_of(count, type));
    return code;
}

static int rget(void *origin, int count, struct ompi_datatype_t *type, int target, ptrdiff_t place, int target_count,
                struct ompi_datatype_t *target_type, struct ompi_win_t *window, struct ompi_request_t **request) {
    const int code =
        below_of(window)->osc_rget(origin, count, type, target, place, target_count, target_type, window, request);
    if (code == OMPI_SUCCESS) nereus_seen_get(window, target, bytes_of(count, type));
    return code;
}

static int accumulate(const void *origin, int count, struct ompi_datatype_t *type, int target, ptrdiff_t place,
                      int target_count, struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                      struct ompi_win_t *window) {
    const int code =
        below_of(window)->osc_accumulate(origin, count, type, target, place, target_count, target_type, op, window);
    if (code == OMPI_SUCCESS) nereus_seen_put(window, target, bytes_of(count, type));
    return code;
}

static int raccumulate(const void *origin, int count, struct ompi_datatype_t *type, int target, ptrdiff_t place,
                       int target_count, struct ompi_datatype_t *target_type, struct ompi_op_t *op,
                       struct ompi_win_t *window, struct ompi_request_t **request) {
    const int code = below_of(window)->osc_raccumulate(origin, count, type, target, place, target_count, target_type,
                                                       op, window, request);
    if (code == OMPI_SUCCESS) nereus_seen_put(window, target, bytes_of(count, type));
    return code;
}

static void tell_both(struct ompi_win_t *window, int target, struct ompi_op_t *op, int count,
                      struct ompi_datatype_t *type, int result_count, struct ompi_datatype_t *result_type) {
    if (op != MPI_NO_OP) nereus_seen_put(window, target, bytes_of(count, type));
    nereus_seen_get(window, target, bytes_of(result_count, result_type));
}

static int get_accumulate(const void *origin, int count, struct ompi_datatype_t *type, void *result, int result_count,
                          struct ompi_datatype_t *result_type, int target, ptrdiff_t place, int target_count,
                          struct ompi_datatype_t *target_type, struct ompi_op_t *op, struct ompi_win_t *window) {
    const int code = below_of(window)->osc_get_accumulate(origin, count, type, result, result_count, result_type,
                                                          target, place, target_count, target_type, op, window);
    if (code == OMPI_SUCCESS) tell_both(window, target, op, count, type, result_count, result_type);
    return code;
}

static int rget_accumulate(const void *origin, int count, struct ompi_datatype_t *type, void *result, int result_count,
                           struct ompi_datatype_t *result_type, int target, ptrdiff_t place, int target_count,
                           struct ompi_datatype_t *target_type, struct ompi_op_t *op, struct ompi_win_t *window,
                           struct ompi_request_t **request) {
    const int code =
        below_of(window)->osc_rget_accumulate(origin, count, type, result, result_count, result_type, target, place,
                                              target_count, target_type, op, window, request);
    if (code == OMPI_SUCCESS) tell_both(window, target, op, count, type, result_count, result_type);
    return code;
}

static int fetch_and_op(const void *origin, void *result, struct ompi_datatype_t *type, int target, ptrdiff_t place,
                        struct ompi_op_t *op, struct ompi_win_t *window) {
    const int code = below_of(window)->osc_fetch_and_op(origin, result, type, target, place, op, window);
    if (code == OMPI_SUCCESS) tell_both(window, target, op, 1, type, 1, type);
    return code;
}

static int compare_and_swap(const void *origin, const void *compare, void *result, struct ompi_datatype_t *type,
                            int target, ptrdiff_t place, struct ompi_win_t *window) {
    const int code = below_of(window)->osc_compare_and_swap(origin, compare, result, type, target, place, window);
    if (code == OMPI_SUCCESS) tell_both(window, target, NULL, 1, type, 1, type);
    return code;
}

static bool is_known(const ompi_osc_base_module_t *module) {
    for (int at = 0; at < number_below; ++at)
        if (below[at].osc_free == module->osc_free) return true;
    return false;
}

static int remember(const ompi_osc_base_module_t *module) {
    static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER; /* threads may make windows at once */
    pthread_mutex_lock(&guard);
    const bool has_room = number_below < most_components;
    if (!is_known(module) && has_room) below[number_below++] = *module;
    pthread_mutex_unlock(&guard);
    return is_known(module) ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

static void stand_before(ompi_osc_base_module_t *module) {
    if (remember(module) != OMPI_SUCCESS) return;
    module->osc_put = put;
    module->osc_get = get;
    module->osc_accumulate = accumulate;
    module->osc_compare_and_swap = compare_and_swap;
    module->osc_fetch_and_op = fetch_and_op;
    module->osc_get_accumulate = get_accumulate;
    module->osc_rput = rput;
    module->osc_rget = rget;
    module->osc_raccumulate = raccumulate;
    module->osc_rget_accumulate = rget_accumulate;
}

static int init(bool has_progress_threads, bool has_threads) {
    (void)has_progress_threads, (void)has_threads;
    nereus_component_is_there(NEREUS_OSC);
    return OMPI_SUCCESS;
}

static int finalize(void) { return OMPI_SUCCESS; }

static int query(struct ompi_win_t *window, void **base, size_t size, int unit, struct ompi_communicator_t *comm,
                 struct opal_info_t *info, int flavor) {
    (void)window, (void)base, (void)size, (void)unit, (void)comm, (void)info, (void)flavor;
    return nereus_components_wanted() ? INT_MAX : -1;
}

static int select_below(struct ompi_win_t *window, void **base, size_t size, int unit, struct ompi_communicator_t *comm,
                        struct opal_info_t *info, int flavor, int *model);

OMPI_MODULE_DECLSPEC extern const ompi_osc_base_component_t mca_osc_nereus_component;
const ompi_osc_base_component_t mca_osc_nereus_component = {
    .osc_version = {OMPI_OSC_BASE_VERSION_3_0_0, .mca_component_name = "nereus",
                    MCA_BASE_MAKE_VERSION(component, 0, 1, 0)},
    .osc_data = {MCA_BASE_METADATA_PARAM_NONE},
    .osc_init = init,
    .osc_query = query,
    .osc_select = select_below,
    .osc_finalize = finalize,
};

/* The component that would have had the window without this one. */
static const ompi_osc_base_component_t *best_below(struct ompi_win_t *window, void **base, size_t size, int unit,
                                                   struct ompi_communicator_t *comm, struct opal_info_t *info,
                                                   int flavor) {
    const ompi_osc_base_component_t *best = NULL;
    int greatest = -1;
    mca_base_component_list_item_t *item;
    OPAL_LIST_FOREACH(item, &ompi_osc_base_framework.framework_components, mca_base_component_list_item_t) {
        const ompi_osc_base_component_t *component = (const ompi_osc_base_component_t *)item->cli_component;
        if (component == &mca_osc_nereus_component) continue;
        const int priority = component->osc_query(window, base, size, unit, comm, info, flavor);
        if (priority > greatest) {
            greatest = priority;
            best = component;
        }
    }
    return best;
}

static int select_below(struct ompi_win_t *window, void **base, size_t size, int unit, struct ompi_communicator_t *comm,
                        struct opal_info_t *info, int flavor, int *model) {
    const ompi_osc_base_component_t *component = best_below(window, base, size, unit, comm, info, flavor);
    if (!component) return OMPI_ERR_NOT_SUPPORTED;
    const int code = component->osc_select(window, base, size, unit, comm, info, flavor, model);
    if (code == OMPI_SUCCESS) stand_before(window->w_osc_module);
    return code;
}
