// SPDX-License-Identifier: BSD-3-Clause
#include "stage.hpp"

namespace emulator {

std::unique_ptr<Stage> make_stage(const StageSpec &spec, const Team &team, Workplace &place) {
    switch (spec.type) {
    case StageType::pi:
        return make_pi(spec, place);
    case StageType::matrix:
        return make_matrix(spec, place);
    case StageType::ip2p:
        return make_exchange(spec, team, place);
    case StageType::wait:
        return make_wait(spec, place);
    case StageType::p2p:
    case StageType::bcast:
    case StageType::allgather:
    case StageType::reduce:
    case StageType::allreduce:
        return make_collective(spec, team);
    case StageType::write:
    case StageType::read:
        return make_file(spec, place);
    }
    return nullptr;
}

} // namespace emulator
