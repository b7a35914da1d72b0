// SPDX-License-Identifier: BSD-3-Clause
#include "record/names.hpp"

namespace nereus::monitor {
namespace {

template <std::size_t N, class T> const char *word(const std::array<const char *, N> &words, T value) {
    const auto at = static_cast<std::size_t>(value);
    return at < N ? words[at] : "unknown";
}

}

const char *name(Kind kind) {
    return word<7>({"point_to_point", "collective", "decomposed", "put", "get", "read", "write"}, kind);
}

const char *name(Call call) {
    return word<14>({"", "barrier", "bcast", "gather", "scatter", "allgather", "alltoall", "reduce", "allreduce",
                     "reduce_scatter", "scan", "exscan", "neighbor_allgather", "neighbor_alltoall"},
                    call);
}

const char *name(Reach reach) { return word<4>({"peer", "all", "higher", "nobody"}, reach); }

const char *name(End end) { return word<3>({"not_yet", "finalized", "aborted"}, end); }

}
