// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/transfer.hpp"

namespace nereus::transfer {

Done move(Method method, const Lane &lane, const std::vector<ArrayTransfer> &array_transfers,
          std::int64_t message_bytes, const Deadline &deadline) {
    Windows windows;
    Limits limits;
    limits.message_bytes = message_bytes;
    Sending sending(method, NEREUS_BLOCKING, lane, array_transfers, limits, windows);
    auto done = sending.start(deadline);
    if (done) done = sending.finish(deadline);
    if (done)
        windows.reset();
    else
        windows.abandon();
    return done;
}

std::int64_t bytes_sent(const ArrayTransfer &array_transfer) {
    std::int64_t sum = 0;
    for (const plan::Piece &piece : array_transfer.move.sends) sum += piece.count() * array_transfer.extent;
    return sum;
}

}
