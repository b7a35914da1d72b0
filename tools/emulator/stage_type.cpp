// SPDX-License-Identifier: BSD-3-Clause
#include "stage_type.hpp"

#include <algorithm>

namespace emulator {

namespace {

std::vector<const StageType *> &registered() {
    static std::vector<const StageType *> types;
    return types;
}

} // namespace

RegisteredStage::RegisteredStage(const StageType &type) : type_(type) {
    auto &types = registered();
    types.insert(std::ranges::upper_bound(types, type_.word, {}, &StageType::word), &type_);
}

const std::vector<const StageType *> &stage_types() { return registered(); }

const StageType *stage_type(std::string_view word) {
    const auto found = std::ranges::find(stage_types(), word, &StageType::word);
    return found == stage_types().end() ? nullptr : *found;
}

} // namespace emulator
