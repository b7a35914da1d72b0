// SPDX-License-Identifier: BSD-3-Clause
// P2P: messages for each piece (Martín-Álvarez et al. 2024, section 4.3), one for each of its segments.
#include "mpi/check.hpp"
#include "transfer/method.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

namespace nereus::transfer {
namespace {

constexpr int tag = 4711; // the lane is Nereus' own: segments between two processes are told apart by their order

// What is packed is to be in the cache yet when it is sent, and unpacked from there.
constexpr std::int64_t packed_segment = std::int64_t{1} << 18;

/// Room that grows only, and is not written to before it is used.
class Row {
public:
    std::byte *of(std::int64_t bytes) {
        if (bytes > bytes_) room_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
        bytes_ = std::max(bytes, bytes_);
        return room_.get();
    }
    std::byte *get() const { return room_.get(); }

private:
    std::unique_ptr<std::byte[]> room_;
    std::int64_t bytes_ = 0;
};

/// Bytes that do not lie in a row are packed into one and unpacked out of one here: MPIs take longer for a datatype
/// (docs/measured/transfers.md).
class PackedReceives {
public:
    PackedReceives(MPI_Comm comm, int under_way) : comm_(comm), under_way_(static_cast<std::size_t>(under_way)) {}

    Done post(const SegmentQueue::QueuedPiece &piece, const Strips &segment, std::size_t number, MPI_Request &request) {
        std::byte *const part = piece.array_transfer->to;
        const std::int64_t bytes = plan::count_of(segment);
        if (const auto start = start_of_row(segment, drain_side))
            return receive(part + *start, bytes, piece.peer, request);
        Packed &packed = under_way_[number];
        packed.segment = segment;
        packed.part = part;
        return receive(packed.row.of(bytes), bytes, piece.peer, request);
    }

    void ended(std::size_t number) {
        Packed &packed = under_way_[number];
        if (packed.part != nullptr) unpack(packed.segment, drain_side, packed.row.get(), packed.part);
        packed.part = nullptr;
    }

private:
    struct Packed {
        Strips segment{};
        std::byte *part = nullptr; ///< where it is to go; none: it goes there by itself
        Row row{};
    };

    Done receive(std::byte *row, std::int64_t bytes, int peer, MPI_Request &request) const {
        return mpi::check(MPI_Irecv(row, static_cast<int>(bytes), MPI_BYTE, peer, tag, comm_, &request), "MPI_Irecv");
    }

    MPI_Comm comm_;
    std::vector<Packed> under_way_;
};

class PackedSends {
public:
    PackedSends(MPI_Comm comm, int under_way) : comm_(comm), rows_(static_cast<std::size_t>(under_way)) {}

    Done post(const SegmentQueue::QueuedPiece &piece, const Strips &segment, std::size_t number, MPI_Request &request) {
        const std::byte *const part = piece.array_transfer->from;
        const std::int64_t bytes = plan::count_of(segment);
        if (const auto start = start_of_row(segment, source_side))
            return send(part + *start, bytes, piece.peer, request);
        std::byte *const row = rows_[number].of(bytes);
        pack(segment, source_side, part, row);
        return send(row, bytes, piece.peer, request);
    }

private:
    Done send(const std::byte *row, std::int64_t bytes, int peer, MPI_Request &request) const {
        return mpi::check(MPI_Isend(row, static_cast<int>(bytes), MPI_BYTE, peer, tag, comm_, &request), "MPI_Isend");
    }

    MPI_Comm comm_;
    std::vector<Row> rows_;
};

class PointToPoint : public Carrier {
public:
    explicit PointToPoint(const TransferContext &context)
        : PointToPoint(context, segments_of_receives(context.strategy, context.limits),
                       segments_of_sends(context.strategy, context.limits)) {}

    Result<Step> step() override {
        auto received = receives_.step();
        if (!received) return received;
        auto sent = sends_.step();
        if (!sent) return sent;
        return together(*received, *sent);
    }

private:
    PointToPoint(const TransferContext &context, const Segments &of_receives, const Segments &of_sends)
        : packed_receives_(context.lane.comm, of_receives.under_way),
          packed_sends_(context.lane.comm, of_sends.under_way),
          receives_(
              SegmentQueue::of_receives(context.lane, context.array_transfers, packed_segment), of_receives,
              [this](auto &&...with) { return packed_receives_.post(with...); },
              [this](std::size_t number) { packed_receives_.ended(number); }),
          sends_(SegmentQueue::of_sends(context.lane, context.array_transfers, packed_segment), of_sends,
                 [this](auto &&...with) { return packed_sends_.post(with...); }) {}

    PackedReceives packed_receives_;
    PackedSends packed_sends_;
    Pipe receives_, sends_;
};

const RegisteredMethod p2p(NEREUS_P2P, [](const TransferContext &context, const Windows &) -> std::unique_ptr<Carrier> {
    return std::make_unique<PointToPoint>(context);
});

}

}
