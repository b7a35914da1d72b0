// SPDX-License-Identifier: BSD-3-Clause
// The C boundary of MaM's interface.
#include "job.hpp"

#include "../complaint.hpp"
#include "types.hpp"

#include <cstdint>
#include <limits>

namespace {

using nereus::compat::complain;
using nereus::compat::give_up;
using nereus::compat::MamEntry;
using nereus::compat::MamJob;

MamEntry describe(const char *call, void *data, std::size_t total, MPI_Datatype type, int replicated, int constant) {
    if (nereus::compat::number_of_type(type) < 0)
        give_up(std::string(call) + ": only predefined datatypes are allowed");
    if (total > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()))
        give_up(std::string(call) + ": total_qty is too large");
    MamEntry entry;
    entry.replicated = replicated != MAM_DATA_DISTRIBUTED;
    entry.constant = constant != MAM_DATA_VARIABLE;
    entry.elements = static_cast<std::int64_t>(total);
    entry.type = type;
    entry.data = data;
    entry.shown = data;
    return entry;
}

MamEntry *find(const char *call, std::size_t index, int replicated, int constant) {
    MamJob &job = MamJob::only();
    job.handle();
    MamEntry *entry = job.data.find(index, replicated != MAM_DATA_DISTRIBUTED, constant != MAM_DATA_VARIABLE);
    if (entry == nullptr)
        complain(std::string(call) + ": index = " + std::to_string(index) + ": there is no such data");
    return entry;
}

template <class T, class V> void give(T *place, V value) {
    if (place != nullptr) *place = static_cast<T>(value);
}

}

extern "C" {

int MAM_Init(int root, MPI_Comm *comm, char *name_exec, void (*user_function)(void *), void *user_args) {
    return MamJob::only().open(root, comm, name_exec, {user_function, user_args});
}

int MAM_Finalize(void) {
    MamJob::only().close();
    return MAM_OK;
}

int MAM_Checkpoint(int *mam_state, int wait_completed, void (*user_function)(void *), void *user_args) {
    int state = MAM_NOT_STARTED;
    const bool wait = wait_completed != MAM_CHECK_COMPLETION;
    const int code = MamJob::only().checkpoint(state, wait, {user_function, user_args});
    give(mam_state, state);
    return code;
}

void MAM_Resume_redistribution(int *mam_state) {
    MamJob::only().user.resume();
    give(mam_state, MAM_PENDING);
}

int MAM_Get_Reconf_Info(mam_user_reconf_t *reconf_info) {
    const auto &user = MamJob::only().user;
    if (!user.running() || reconf_info == nullptr) return MAM_DENIED;
    *reconf_info = user.info();
    return MAM_OK;
}

void MAM_Data_add(void *data, size_t *index, size_t total_qty, MPI_Datatype type, int is_replicated, int is_constant) {
    MamJob &job = MamJob::only();
    nereus_job *handle = job.handle();
    give(index, job.data.add(handle, describe("MAM_Data_add", data, total_qty, type, is_replicated, is_constant)));
}

void MAM_Data_modify(void *data, size_t index, size_t total_qty, MPI_Datatype type, int is_replicated,
                     int is_constant) {
    MamEntry *old = find("MAM_Data_modify", index, is_replicated, is_constant);
    if (old == nullptr) return;
    MamJob &job = MamJob::only();
    job.data.replace(job.handle(), *old,
                     describe("MAM_Data_modify", data, total_qty, type, is_replicated, is_constant));
}

void MAM_Data_get_entries(int is_replicated, int is_constant, size_t *entries) {
    MamJob &job = MamJob::only();
    give(entries, job.data.registry(is_replicated != MAM_DATA_DISTRIBUTED, is_constant != MAM_DATA_VARIABLE).size());
}

void MAM_Data_get_pointer(void **data, size_t index, size_t *total_qty, MPI_Datatype *type, int is_replicated,
                          int is_constant) {
    const MamEntry *entry = find("MAM_Data_get_pointer", index, is_replicated, is_constant);
    if (entry == nullptr) return;
    if (data != nullptr) *data = entry->data;
    give(total_qty, entry->elements);
    if (type != nullptr) *type = entry->type;
}

void MAM_Set_configuration(int spawn_method, int spawn_strategies, int spawn_dist, int red_method, int red_strategies) {
    const int values[] = {spawn_method, spawn_strategies, spawn_dist, red_method, red_strategies};
    for (int key = MAM_SPAWN_METHOD; key <= MAM_RED_STRATEGIES; ++key)
        MAM_Set_key_configuration(key, values[key], nullptr);
}

void MAM_Set_key_configuration(int key, int required, int *provided) {
    MamJob &job = MamJob::only();
    give(provided, job.busy() ? MAM_DENIED : job.configuration.set(key, required));
}

int MAM_Set_target_number(unsigned int targets) {
    MamJob &job = MamJob::only();
    if (job.busy() || targets < 1 || targets > static_cast<unsigned>(std::numeric_limits<int>::max()))
        return MAM_DENIED;
    job.configuration.set(MAM_NUM_TARGETS, static_cast<int>(targets));
    return MAM_OK;
}

int MAM_Contains_strat(int key, unsigned int strategy, int *result) {
    const bool spawns = key == MAM_SPAWN_STRATEGIES;
    const int end = spawns ? int{MAM_STRATS_SPAWN_LEN} : int{MAM_STRATS_RED_LEN};
    if ((!spawns && key != MAM_RED_STRATEGIES) || strategy >= static_cast<unsigned>(end)) return MAM_DENIED;
    give(result, MamJob::only().configuration.contains(key, strategy) ? 1 : 0);
    return MAM_OK;
}

void MAM_Retrieve_times(double *rms, double *spawn, double *sync, double *async, double *user, double *malleability) {
    MamJob &job = MamJob::only();
    nereus_resize_report report;
    nereus_last_resize(job.handle(), &report);
    const double in_user = job.user.seconds();
    give(rms, 0);
    give(spawn, report.process_seconds);
    give(sync, report.variable_seconds);
    give(async, report.constant_seconds);
    give(user, in_user);
    give(malleability, report.process_seconds + report.constant_seconds + report.variable_seconds + in_user);
}
}
