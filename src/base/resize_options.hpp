// SPDX-License-Identifier: BSD-3-Clause
// What may be said of one resize, by the rows `resize_options` of methods.toml. The field `hosts` is not among them:
// what a job has as that setting is its list, and what a resize says is added to it.
#pragma once

#include "base/error.hpp"
#include "base/methods_table.hpp"
#include "base/settings_form.hpp"

namespace nereus {

/// What holds where nobody says otherwise; no hosts.
nereus_resize_options initial_resize_options();

/// Whether each value is one of its field's. Of sums each counts as one: strategies::check() says more of them.
bool exists(const nereus_resize_options &options);

/// "auto, p2p, col"
std::string allowed_of(const ResizeOption &option);

/// How a setting of this name is read and written.
SettingForm form_of(const ResizeOption &option);

}
