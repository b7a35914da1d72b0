// SPDX-License-Identifier: BSD-3-Clause
#include "monitor/shapes.hpp"

namespace nereus::monitor {
namespace {

Shape shape_of(Call call) {
    if (call == Call::bcast || call == Call::scatter) return Shape::from_one;
    return call == Call::gather || call == Call::reduce ? Shape::to_one : Shape::to_all;
}

/// How many processes each message of the address goes to.
std::uint64_t number_reached(const Address &address, const Sides &sides) {
    if (address.reach == Reach::peer) return 1;
    if (address.reach == Reach::nobody) return 0;
    if (sides.has_two_sides) return sides.size;
    return address.reach == Reach::all ? sides.size - 1 : sides.size - 1 - sides.rank;
}

}

Count sum_of(Shape shape, const Sides &communicator, const Totals &totals) {
    Count sum;
    for (const auto &[address, count] : totals) {
        if (address.kind != Kind::collective || address.scope != communicator.number || shape_of(address.call) != shape)
            continue;
        if (address.reach != Reach::peer) sum.messages += count.messages;
        sum.bytes += number_reached(address, communicator) * count.bytes;
    }
    return sum;
}

}
