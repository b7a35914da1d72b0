// SPDX-License-Identifier: BSD-3-Clause
#include "applications/cg/poisson.hpp"

#include <cstdlib>

namespace cg {

void Poisson::make(std::int64_t row, Row &out) const {
    const std::int64_t x = row % side_, y = row / side_ % side_, z = row / side_ / side_;
    const int farthest = points_ == 7 ? 1 : 3; // steps along axes
    for (int dz = -1; dz <= 1; ++dz)
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
                const int steps = std::abs(dx) + std::abs(dy) + std::abs(dz);
                if (steps > farthest || !is_point(x + dx) || !is_point(y + dy) || !is_point(z + dz)) continue;
                out.add(row + (dz * side_ + dy) * side_ + dx, steps == 0 ? points_ - 1 : -1);
            }
}

}
