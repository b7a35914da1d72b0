// SPDX-License-Identifier: BSD-3-Clause
// The binomial tree over ranks by which processes agree and lines are gathered.
#pragma once

#include <vector>

namespace nereus::pmpi {

/// -1 for rank 0.
inline int parent_in_tree(int rank) { return rank == 0 ? -1 : rank & (rank - 1); }

inline std::vector<int> children_in_tree(int rank, int ranks) {
    std::vector<int> children;
    for (int bit = 1; (rank & bit) == 0 && rank + bit < ranks; bit <<= 1) children.push_back(rank + bit);
    return children;
}

}
