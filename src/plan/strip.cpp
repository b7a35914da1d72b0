// SPDX-License-Identifier: BSD-3-Clause
#include "plan/strip.hpp"

namespace nereus::plan {

std::int64_t Strip::count_of_one() const {
    std::int64_t sum = 0;
    for (const Run &run : runs) sum += run.count;
    return sum;
}

std::int64_t Strip::count() const { return count_of_one() * repeats; }

std::int64_t count_of(const std::vector<Strip> &strips) {
    std::int64_t sum = 0;
    for (const Strip &strip : strips) sum += strip.count();
    return sum;
}

Strip repeated(const Run &run, std::int64_t repeats, std::int64_t from_step, std::int64_t to_step) {
    if (repeats == 1) return {{run}};
    if (from_step == run.count && to_step == run.count) return {{{run.from, run.to, run.count * repeats}}};
    return {{run}, repeats, from_step, to_step};
}

}
