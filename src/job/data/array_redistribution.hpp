// SPDX-License-Identifier: BSD-3-Clause
// The data of one process on its way through one resize.
//
// Everything new lives here, beside the registry, until adopt(): discarding it leaves the old state untouched.
#pragma once

#include "base/settings.hpp"
#include "job/data/registry.hpp"
#include "plan/cost_model.hpp"
#include "plan/move.hpp"
#include "transfer/transfer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace nereus::job {

/// Both sides of a resize, as one of its processes sees them.
struct Sides {
    plan::Sizes sizes;
    plan::Place place;
    std::vector<std::string> source_hosts;
    std::vector<std::string> drain_hosts;

    const std::string &here() const;
    /// Sources and newcomers that share this host's cores during the resize.
    int processes_here() const;
};

/// How data is carried: numbers of enum nereus_transfer_method and nereus_transfer_strategy.
struct TransferChoice {
    int method = 0;
    int strategy = 0;
};

class ArrayRedistribution {
public:
    /// @param windows  those that one-sided methods may take again, and where they leave new ones
    /// @param verify   whether what stays with this process is compared too, when the new parts take over
    ArrayRedistribution(Registry &registry, Sides sides, const transfer::Windows &windows, bool verify);
    ArrayRedistribution(const ArrayRedistribution &) = delete;
    ArrayRedistribution &operator=(const ArrayRedistribution &) = delete;
    ~ArrayRedistribution() { discard(); }

    /// Memory for the new parts of a drain that do not lie in shared memory; NEREUS_ERR_MEMORY names the array.
    Done allocate();

    /// The new parts of a drain in shared memory, which all entries that want it have by now.
    void place_shared();

    /// After swaps of the application: the new parts go with the old ones, whose memory they share a kind with.
    /// @param parts  of agree_on_swaps()
    void follow_swaps(const std::vector<int> &parts);

    /// Whether there are arrays of this kind.
    bool has_data(bool constant) const;

    /// Collective over the lane: what sends the constant or the variable arrays.
    std::unique_ptr<transfer::Sending> sending(bool constant, const transfer::Lane &lane,
                                               const TransferChoice &transfer_choice, const Settings &settings);

    /// Collective over the lane, after all data has come: compares checksums.
    Done verify(const transfer::Lane &lane, const Deadline &deadline) const;

    /// Collective over the lanes of all sendings, when all have everything: what drains read from is closed.
    void close_windows() { windows_.reset(); }

    /// How long all arrays of this kind may take.
    double seconds_for(bool constant, const Settings &settings) const;

    /// What this process has to send or to receive of the constant or the variable arrays.
    plan::Load load(bool constant) const;

    std::int64_t bytes_sent(bool constant) const;
    /// What other processes of this host take over from this source without a copy.
    std::int64_t bytes_shared() const { return bytes_shared_; }
    /// Of the bytes sent those of shared arrays.
    std::int64_t bytes_sent_between_hosts() const;

    /// Collective over the lanes of all sendings. The new parts take the place of the old ones, which are released.
    /// Cannot fail: where what stays is to be compared and has changed, nothing can be rolled back any more, and the
    /// job ends.
    void adopt();

    /// Leaves the new parts where they are for ever, since MPI may still write to them, and the old ones that were
    /// sent, which others may still read, when they go.
    void abandon();

private:
    /// Bytes of a part that stay with its process.
    struct Kept {
        std::int64_t from = 0; ///< place in the old part
        std::int64_t to = 0;   ///< place in the new part
        std::int64_t bytes = 0;
    };

    transfer::ArrayTransfer array_transfer_of(std::size_t index) const;
    bool travels(std::size_t index, bool constant) const;
    std::vector<transfer::ArrayTransfer> array_transfers(bool constant) const;
    bool keeps(std::size_t index) const;
    void leave_out_what_is_shared(std::size_t index);
    void keep_what_stays_in_a_row(std::size_t index);
    void *memory_for(std::size_t index, std::size_t bytes) const;
    void take_over(std::size_t index) const;
    void hand_over(const Entry &entry, std::byte *from, std::byte *to, std::int64_t bytes) const;
    plan::Range before(std::size_t index) const;
    plan::Range after(std::size_t index) const;
    std::int64_t bytes_after(std::size_t index) const;
    bool removes_names() const;
    void give_back(std::size_t index, std::int64_t first, std::int64_t count) const;
    void give_back_what_was_sent(std::size_t index) const;
    void give_back_what_was_received(std::size_t index) const;
    void discard();

    Registry &registry_;
    Sides sides_;
    bool verify_;
    std::vector<plan::Move> moves_; ///< of each entry; values have none
    std::vector<Kept> kept_;        ///< of each entry; nothing where sendings copy what stays
    std::int64_t bytes_shared_ = 0;
    std::vector<void *> next_; ///< new part of each entry; values have none
    transfer::Windows windows_;
};

}
