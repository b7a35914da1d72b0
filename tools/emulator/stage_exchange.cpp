// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking point-to-point: `ip2p` begins MPI_Isend and MPI_Irecv with the partner, `wait` of the same id ends them.
#include <array>
#include <cstddef>
#include <vector>

#include "partners.hpp"
#include "stage.hpp"

namespace emulator {

namespace {

constexpr int tag_of_exchange = 2;

// A slot is one message under way in each direction. When all are taken, beginning one more waits for the oldest: this
// bounds memory, and cannot deadlock, since every rank begins the same messages in the same order.
constexpr std::int64_t slots = 64;

} // namespace

class Exchange {
public:
    Exchange(const StageSpec &spec, const Team &team)
        : team_(team), partners_(partners_in(team)), bytes_(static_cast<std::size_t>(operation_bytes(spec))),
          slots_(spec.bytes > 0 && !spec.capped ? 1 : slots), outgoing_(bytes_),
          incoming_(bytes_ * static_cast<std::size_t>(slots_)) {
        requests_.fill(MPI_REQUEST_NULL);
    }

    void begin(std::int64_t messages) {
        for (std::int64_t i = 0; i < messages; ++i) begin_one();
    }

    void complete() { MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE); }

private:
    void begin_one() {
        const auto slot = static_cast<std::size_t>(begun_++ % slots_);
        MPI_Request *pair = &requests_[2 * slot];
        MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
        const int bytes = static_cast<int>(bytes_);
        MPI_Irecv(incoming_.data() + slot * bytes_, bytes, MPI_BYTE, partners_.from, tag_of_exchange, team_.comm,
                  &pair[0]);
        MPI_Isend(outgoing_.data(), bytes, MPI_BYTE, partners_.to, tag_of_exchange, team_.comm, &pair[1]);
    }

    Team team_;
    Partners partners_;
    std::size_t bytes_;
    std::int64_t slots_;
    std::vector<std::byte> outgoing_, incoming_;
    std::array<MPI_Request, 2 * slots> requests_{};
    std::int64_t begun_ = 0;
};

namespace {

class Begin final : public Stage {
public:
    explicit Begin(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
    void run(std::int64_t operations) override { exchange_->begin(operations); }
    void complete() override { exchange_->complete(); }

private:
    std::shared_ptr<Exchange> exchange_;
};

class Wait final : public Stage {
public:
    explicit Wait(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}
    void run(std::int64_t) override {
        if (exchange_) exchange_->complete();
    }

private:
    std::shared_ptr<Exchange> exchange_; // none on ranks that took no part in the ip2p
};

std::unique_ptr<Stage> make_begin(const StageSpec &spec, const Team &team, Workplace &place) {
    auto exchange = std::make_shared<Exchange>(spec, team);
    place.exchanges[spec.id] = exchange;
    return std::make_unique<Begin>(std::move(exchange));
}

std::unique_ptr<Stage> make_wait(const StageSpec &spec, const Team &, Workplace &place) {
    const auto found = place.exchanges.find(spec.id);
    return std::make_unique<Wait>(found == place.exchanges.end() ? nullptr : found->second);
}

const RegisteredStage ip2p_stage({"ip2p", StageKind::begin, make_begin});
const RegisteredStage wait_stage({"wait", StageKind::wait, make_wait});

} // namespace

} // namespace emulator
