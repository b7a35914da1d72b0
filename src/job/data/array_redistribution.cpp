// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/array_redistribution.hpp"

#include "memory/block.hpp"
#include "mpi/abort.hpp"

#include <algorithm>
#include <numeric>

namespace nereus::job {
namespace {

/// Of the time that data may take: a transfer that is given up because it was polite serves nobody.
constexpr double polite_part = 0.5;

std::int64_t count_of(const std::vector<plan::Piece> &pieces) {
    return std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0},
                           [](std::int64_t sum, const plan::Piece &piece) { return sum + piece.count(); });
}

/// From shared memory to that of each process, or the other way round.
bool leaves_segment(const Entry &entry) { return entry.segment && !entry.is.shared; }
bool changes_memory(const Entry &entry) { return leaves_segment(entry) || entry.next_segment; }

/// Parts of shared arrays lie in a row: a piece is one run.
const plan::Run &run_of(const plan::Piece &piece) { return piece.strips.front().runs.front(); }

}

const std::string &Sides::here() const {
    const auto at = [](int rank) { return static_cast<std::size_t>(rank); };
    return place.source ? source_hosts[at(*place.source)] : drain_hosts[at(*place.drain)];
}

int Sides::processes_here() const {
    auto count = std::count(source_hosts.begin(), source_hosts.end(), here());
    for (int drain = 0; drain < sizes.drains; ++drain)
        if (!sizes.source_at(drain) && drain_hosts[static_cast<std::size_t>(drain)] == here()) ++count;
    return static_cast<int>(count);
}

ArrayRedistribution::ArrayRedistribution(Registry &registry, Sides sides, const transfer::Windows &windows, bool verify)
    : registry_(registry), sides_(std::move(sides)), verify_(verify), windows_(windows) {
    for (const Entry &entry : registry_.entries()) {
        moves_.push_back(entry.is.value ? plan::Move{}
                                        : plan::move_of(entry.before(sides_.sizes.sources),
                                                        entry.after(sides_.sizes.drains), sides_.sizes, sides_.place));
        kept_.emplace_back();
        if (changes_memory(entry)) moves_.back().unchanged = false;
        if (entry.is.shared)
            leave_out_what_is_shared(moves_.size() - 1);
        else if (entry.is_a_block() && !entry.next_segment && !moves_.back().unchanged)
            keep_what_stays_in_a_row(moves_.size() - 1);
    }
}

/// Such bytes are not copied while others wait for data: their pages move at the commit.
void ArrayRedistribution::keep_what_stays_in_a_row(std::size_t index) {
    auto &stays = moves_[index].stays;
    if (stays.size() != 1 || stays.front().repeats != 1 || stays.front().runs.size() != 1) return;
    const plan::Run run = stays.front().runs.front();
    const std::int64_t extent = registry_.entries()[index].is.extent;
    kept_[index] = {run.from * extent, run.to * extent, run.count * extent};
    stays.clear();
}

/// Neighbours on this host find the bytes where they are.
void ArrayRedistribution::leave_out_what_is_shared(std::size_t index) {
    plan::Move &move = moves_[index];
    const auto is_here = [&](const std::vector<std::string> &hosts) {
        return [&](const plan::Piece &piece) { return hosts[static_cast<std::size_t>(piece.peer)] == sides_.here(); };
    };
    const std::int64_t all = count_of(move.sends);
    std::erase_if(move.sends, is_here(sides_.drain_hosts));
    std::erase_if(move.receives, is_here(sides_.source_hosts));
    move.stays.clear();
    bytes_shared_ += (all - count_of(move.sends)) * registry_.entries()[index].is.extent;
}

/// Of shared arrays, whose parts lie in a row.
plan::Range ArrayRedistribution::before(std::size_t index) const {
    const Entry &entry = registry_.entries()[index];
    return sides_.place.source ? entry.before(sides_.sizes.sources).range_of(*sides_.place.source) : plan::Range{};
}

plan::Range ArrayRedistribution::after(std::size_t index) const {
    const Entry &entry = registry_.entries()[index];
    return sides_.place.drain ? entry.after(sides_.sizes.drains).range_of(*sides_.place.drain) : plan::Range{};
}

std::int64_t ArrayRedistribution::bytes_after(std::size_t index) const {
    const Entry &entry = registry_.entries()[index];
    return sides_.place.drain ? entry.after(sides_.sizes.drains).count_of(*sides_.place.drain) * entry.is.extent : 0;
}

transfer::ArrayTransfer ArrayRedistribution::array_transfer_of(std::size_t index) const {
    const Entry &entry = registry_.entries()[index];
    return {entry.is.name, moves_[index], entry.is.extent, sides_.place.source ? entry.bytes() : nullptr,
            next_.empty() ? nullptr : static_cast<std::byte *>(next_[index])};
}

bool ArrayRedistribution::travels(std::size_t index, bool constant) const {
    const Description &is = registry_.entries()[index].is;
    return !is.value && is.constant == constant;
}

std::vector<transfer::ArrayTransfer> ArrayRedistribution::array_transfers(bool constant) const {
    std::vector<transfer::ArrayTransfer> all;
    for (std::size_t i = 0; i < registry_.entries().size(); ++i)
        if (travels(i, constant)) all.push_back(array_transfer_of(i));
    return all;
}

/// Whether the process goes on with the part that it has.
bool ArrayRedistribution::keeps(std::size_t index) const {
    return registry_.entries()[index].is.value || moves_[index].unchanged;
}

Done ArrayRedistribution::allocate() {
    next_.assign(registry_.entries().size(), nullptr);
    for (std::size_t i = 0; i < next_.size(); ++i) {
        const Entry &entry = registry_.entries()[i];
        const std::int64_t bytes = bytes_after(i);
        if (keeps(i) || entry.is.shared || bytes == 0) continue;
        next_[i] = memory_for(i, static_cast<std::size_t>(bytes));
        if (next_[i] == nullptr)
            return failed(NEREUS_ERR_MEMORY,
                          "no memory for " + std::to_string(bytes) + " B of \"" + entry.is.name + "\"");
    }
    return {};
}

void *ArrayRedistribution::memory_for(std::size_t index, std::size_t bytes) const {
    const Entry &entry = registry_.entries()[index];
    const Kept &kept = kept_[index];
    if (entry.next_segment) return entry.next_segment->at(after(index).first * entry.is.extent);
    if (kept.bytes == 0) return entry.memory.allocate(bytes, entry.memory.context);
    return memory::take_block_like(entry.bytes() + kept.from, static_cast<std::size_t>(kept.to), bytes);
}

void ArrayRedistribution::place_shared() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
        const Entry &entry = registry_.entries()[i];
        if (entry.is.shared && !keeps(i) && !after(i).empty())
            next_[i] = entry.segment->at(after(i).first * entry.is.extent);
    }
}

void ArrayRedistribution::follow_swaps(const std::vector<int> &parts) {
    const std::vector<void *> next = next_;
    const std::vector<plan::Move> moves = moves_;
    const std::vector<Kept> kept = kept_;
    for (std::size_t i = 0; i < next.size(); ++i) {
        if (parts[i] < 0) continue;
        const auto from = static_cast<std::size_t>(parts[i]);
        next_[i] = next[from];
        moves_[i] = moves[from];
        kept_[i] = kept[from];
    }
    place_shared();
}

bool ArrayRedistribution::has_data(bool constant) const {
    for (std::size_t i = 0; i < moves_.size(); ++i)
        if (travels(i, constant)) return true;
    return false;
}

std::unique_ptr<transfer::Sending> ArrayRedistribution::sending(bool constant, const transfer::Lane &lane,
                                                                const TransferChoice &transfer_choice,
                                                                const Settings &settings) {
    return std::make_unique<transfer::Sending>(
        static_cast<transfer::Method>(transfer_choice.method),
        static_cast<transfer::Strategy>(transfer_choice.strategy), lane, array_transfers(constant),
        transfer::Limits{settings.message_bytes, settings.transfer_memory, sides_.processes_here(),
                         polite_part * seconds_for(constant, settings),
                         transfer::BackgroundShares{settings.background_share, settings.background_share_rma,
                                                    settings.background_share_thread}},
        windows_);
}

Done ArrayRedistribution::verify(const transfer::Lane &lane, const Deadline &deadline) const {
    std::vector<transfer::ArrayTransfer> all = array_transfers(true);
    for (transfer::ArrayTransfer &array_transfer : array_transfers(false)) all.push_back(std::move(array_transfer));
    return transfer::verify(lane, all, deadline);
}

double ArrayRedistribution::seconds_for(bool constant, const Settings &settings) const {
    double bytes = 0; // of all ranks: the lane's slowest pair is not known here
    for (std::size_t i = 0; i < moves_.size(); ++i)
        if (travels(i, constant)) bytes += static_cast<double>(registry_.entries()[i].is.bytes());
    return settings.seconds_for(bytes);
}

plan::Load ArrayRedistribution::load(bool constant) const {
    std::int64_t sent = 0, received = 0;
    plan::Load load;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
        if (!travels(i, constant)) continue;
        const std::int64_t extent = registry_.entries()[i].is.extent;
        const std::int64_t out = count_of(moves_[i].sends) * extent, in = count_of(moves_[i].receives) * extent;
        sent += out;
        received += in;
        load.arrays += out + in > 0 ? 1 : 0;
    }
    load.bytes = std::max(sent, received);
    return load;
}

std::int64_t ArrayRedistribution::bytes_sent(bool constant) const {
    std::int64_t sum = 0;
    for (const transfer::ArrayTransfer &array_transfer : array_transfers(constant))
        sum += transfer::bytes_sent(array_transfer);
    return sum;
}

std::int64_t ArrayRedistribution::bytes_sent_between_hosts() const {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < moves_.size(); ++i)
        if (registry_.entries()[i].is.shared) sum += transfer::bytes_sent(array_transfer_of(i));
    return sum;
}

void ArrayRedistribution::adopt() {
    close_windows(); // they show memory that goes now
    for (std::size_t i = 0; i < next_.size(); ++i) {
        Entry &entry = registry_.entries()[i];
        if (entry.segment) entry.segment->set_removes_name(removes_names());
        if (keeps(i)) continue;
        if (entry.is.shared)
            give_back_what_was_sent(i);
        else if (sides_.place.source)
            take_over(i);
        if (changes_memory(entry)) {
            entry.segment = std::exchange(entry.next_segment, nullptr);
            entry.is.shared = entry.segment != nullptr;
        }
        entry.data = next_[i];
        entry.left_to_mpi = false;
        entry.point();
    }
    next_.clear();
    for (Entry &entry : registry_.entries()) entry.adopt_next();
    registry_.forget_swaps(); // all begin to count together, newcomers too
}

/// What stays of the old part goes to the new one; the rest is released.
void ArrayRedistribution::take_over(std::size_t index) const {
    const Entry &entry = registry_.entries()[index];
    const Kept &kept = kept_[index];
    if (kept.bytes > 0) {
        std::byte *const from = entry.bytes() + kept.from, *const to = static_cast<std::byte *>(next_[index]) + kept.to;
        if (entry.left_to_mpi)
            std::copy_n(from, kept.bytes, to); // somebody may still read the old pages
        else
            hand_over(entry, from, to, kept.bytes);
    }
    entry.release(entry.data);
}

/// Pages that moved wrongly cannot be had back: a job with damaged data must not go on.
void ArrayRedistribution::hand_over(const Entry &entry, std::byte *from, std::byte *to, std::int64_t bytes) const {
    const std::uint64_t before = verify_ ? transfer::checksum(from, bytes) : 0;
    memory::hand_over(from, to, static_cast<std::size_t>(bytes));
    if (!verify_ || transfer::checksum(to, bytes) == before) return;
    mpi::abort_job('"' + entry.is.name + "\" changed where it stayed with its process; the job ends");
}

/// One process of each host: the first that goes on there, else the first of those that leave.
bool ArrayRedistribution::removes_names() const {
    const auto first_here = [&](const std::vector<std::string> &hosts) -> std::optional<int> {
        const auto found = std::find(hosts.begin(), hosts.end(), sides_.here());
        return found == hosts.end() ? std::nullopt : std::optional(static_cast<int>(found - hosts.begin()));
    };
    const auto drain = first_here(sides_.drain_hosts);
    return drain ? drain == sides_.place.drain : first_here(sides_.source_hosts) == sides_.place.source;
}

/// Processes of this host may hold the halo at the borders of what another host has.
void ArrayRedistribution::give_back(std::size_t index, std::int64_t first, std::int64_t count) const {
    const Description &is = registry_.entries()[index].is;
    const plan::Range elements{first + is.halo, first + count - is.halo};
    if (!elements.empty())
        (void)registry_.entries()[index].segment->give_back(elements.first * is.extent, elements.end * is.extent);
}

void ArrayRedistribution::give_back_what_was_sent(std::size_t index) const {
    for (const plan::Piece &piece : moves_[index].sends)
        give_back(index, before(index).first + run_of(piece).from, piece.count());
}

void ArrayRedistribution::give_back_what_was_received(std::size_t index) const {
    for (const plan::Piece &piece : moves_[index].receives)
        give_back(index, after(index).first + run_of(piece).to, piece.count());
}

void ArrayRedistribution::abandon() {
    windows_.abandon();
    next_.clear();
    for (std::size_t i = 0; i < moves_.size(); ++i)
        if (!moves_[i].sends.empty()) registry_.entries()[i].leave_to_mpi();
    for (const Entry &entry : registry_.entries()) {
        if (!entry.next_segment) continue;
        entry.next_segment->remove_name(); // all have it open
        memory::leave_to_mpi(entry.next_segment);
    }
}

void ArrayRedistribution::discard() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
        if (next_[i] == nullptr) continue;
        const Entry &entry = registry_.entries()[i];
        if (entry.is.shared)
            give_back_what_was_received(i);
        else if (!entry.next_segment)
            entry.memory.release(next_[i], entry.memory.context);
    }
    next_.clear();
}

}
