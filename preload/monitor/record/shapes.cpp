// SPDX-License-Identifier: BSD-3-Clause
#include "record/shapes.hpp"

namespace nereus::monitor {
namespace {

Shape shape_of(Call call) {
    if (call == Call::bcast || call == Call::scatter) return Shape::from_one;
    return call == Call::gather || call == Call::reduce ? Shape::to_one : Shape::to_all;
}

}

Count sum_of(Shape shape, std::uint32_t communicator, const Sides &sides, const Totals &totals) {
    Count sum;
    for (const auto &[address, count] : totals) {
        if (address.kind != Kind::collective || address.scope != communicator || shape_of(address.call) != shape)
            continue;
        if (address.reach != Reach::peer) sum.messages += count.messages;
        sum.bytes += sides.number_reached(address.reach) * count.bytes;
    }
    return sum;
}

}
