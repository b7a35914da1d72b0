// SPDX-License-Identifier: BSD-3-Clause
// Stages of blocking communication: MPI_Sendrecv with a partner, and the collectives that applications use most.
#include <cstddef>
#include <vector>

#include "partners.hpp"
#include "stage.hpp"

namespace emulator {

namespace {

constexpr int tag = 1;

std::size_t length_of(const StageSpec &spec) { return static_cast<std::size_t>(operation_bytes(spec)); }

class PointToPoint final : public Stage {
public:
    PointToPoint(const StageSpec &spec, const Team &team)
        : team_(team), partners_(partners_in(team)), outgoing_(length_of(spec)), incoming_(length_of(spec)) {}

    void run(std::int64_t operations) override {
        const int bytes = static_cast<int>(outgoing_.size());
        for (std::int64_t i = 0; i < operations; ++i)
            MPI_Sendrecv(outgoing_.data(), bytes, MPI_BYTE, partners_.to, tag, incoming_.data(), bytes, MPI_BYTE,
                         partners_.from, tag, team_.comm, MPI_STATUS_IGNORE);
    }

private:
    Team team_;
    Partners partners_;
    std::vector<std::byte> outgoing_, incoming_;
};

class Broadcast final : public Stage {
public:
    Broadcast(const StageSpec &spec, const Team &team) : team_(team), buffer_(length_of(spec)) {}

    void run(std::int64_t operations) override {
        for (std::int64_t i = 0; i < operations; ++i)
            MPI_Bcast(buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE, 0, team_.comm);
    }

private:
    Team team_;
    std::vector<std::byte> buffer_;
};

// The bytes of an operation are those of all ranks together, cut in blocks as a distributed vector is.
class AllGather final : public Stage {
public:
    AllGather(const StageSpec &spec, const Team &team) : team_(team), whole_(length_of(spec)) {
        const auto size = static_cast<std::size_t>(team.size);
        std::size_t first = 0;
        for (std::size_t rank = 0; rank < size; ++rank) {
            const std::size_t count = whole_.size() / size + (rank < whole_.size() % size ? 1 : 0);
            counts_.push_back(static_cast<int>(count));
            firsts_.push_back(static_cast<int>(first));
            first += count;
        }
        own_.resize(static_cast<std::size_t>(counts_[static_cast<std::size_t>(team.rank)]));
    }

    void run(std::int64_t operations) override {
        for (std::int64_t i = 0; i < operations; ++i)
            MPI_Allgatherv(own_.data(), static_cast<int>(own_.size()), MPI_BYTE, whole_.data(), counts_.data(),
                           firsts_.data(), MPI_BYTE, team_.comm);
    }

private:
    Team team_;
    std::vector<std::byte> whole_, own_;
    std::vector<int> counts_, firsts_;
};

// A sum of doubles where the bytes are whole ones, as in the applications that the paper emulates (Proteo 2024, section
// 4.1), else of bytes; or, as Proteo's code has it, a maximum of bytes. All begin as 0, so that no sum overflows.
template <bool to_all> class Reduction final : public Stage {
public:
    Reduction(const StageSpec &spec, const Team &team)
        : team_(team), operation_(spec.reduction == Reduce::sum ? MPI_SUM : MPI_MAX), own_(length_of(spec)),
          result_(length_of(spec)) {
        const bool is_of_doubles = spec.reduction == Reduce::sum && own_.size() % sizeof(double) == 0;
        type_ = is_of_doubles ? MPI_DOUBLE : MPI_UINT8_T;
        count_ = static_cast<int>(own_.size() / (is_of_doubles ? sizeof(double) : 1));
    }

    void run(std::int64_t operations) override {
        for (std::int64_t i = 0; i < operations; ++i) {
            if constexpr (to_all)
                MPI_Allreduce(own_.data(), result_.data(), count_, type_, operation_, team_.comm);
            else
                MPI_Reduce(own_.data(), result_.data(), count_, type_, operation_, 0, team_.comm);
        }
    }

private:
    Team team_;
    MPI_Op operation_;
    MPI_Datatype type_ = MPI_UINT8_T;
    int count_ = 0;
    std::vector<std::uint8_t> own_, result_; // allocated, thus aligned for any type
};

template <class Made> std::unique_ptr<Stage> make(const StageSpec &spec, const Team &team, Workplace &) {
    return std::make_unique<Made>(spec, team);
}

const RegisteredStage p2p({"p2p", StageKind::message, make<PointToPoint>});
const RegisteredStage bcast({"bcast", StageKind::message, make<Broadcast>});
const RegisteredStage allgather({"allgather", StageKind::message, make<AllGather>});
const RegisteredStage reduce({"reduce", StageKind::message, make<Reduction<false>>});
const RegisteredStage allreduce({"allreduce", StageKind::message, make<Reduction<true>>});

} // namespace

} // namespace emulator
