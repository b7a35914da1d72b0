// SPDX-License-Identifier: BSD-3-Clause
#include "job/registered_data.hpp"

#include "job/distribution_change.hpp"
#include "job/registering.hpp"

namespace nereus::job {

template <class Register> Done RegisteredData::with_new_entries(const std::string &name, const Register &enter) {
    const std::size_t before = job_.registry.entries().size();
    const Done done = enter();
    if (job_.registry.entries().size() != before) undo_resize_("\"" + name + "\" was registered");
    return done;
}

Done RegisteredData::add_array(const Description &is, void **pointer, const nereus_memory *own_memory) {
    return with_new_entries(is.name, [&] { return job::add_array(job_, is, pointer, own_memory); });
}

Done RegisteredData::add_matrix(const MatrixParts &parts, std::int64_t nonzeros, nereus_matrix *matrix) {
    return with_new_entries(parts.starts.name, [&] { return job::add_matrix(job_, parts, nonzeros, matrix); });
}

Done RegisteredData::add_value(const Description &is, void *value) {
    return with_new_entries(is.name, [&] { return job::add_value(job_, is, value); });
}

Done RegisteredData::forget(const std::string &name) {
    check_that_all_is_registered(job_, "nereus_forget()");
    if (auto done = job_.registry.check_can_go(name); !done) return done;
    undo_resize_("\"" + name + "\" was taken out");
    return take_out(job_, name);
}

Result<nereus_code> RegisteredData::distribute(const std::string &name, const Result<plan::Shape> &wanted) {
    check_that_all_is_registered(job_, "nereus_change_distribution()");
    undo_resize_("\"" + name + "\" was to get another distribution");
    return change_distribution(job_, name, wanted);
}

}
