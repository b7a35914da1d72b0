// SPDX-License-Identifier: BSD-3-Clause
// Applications that swap arrays by their pointers, as stencils do with the values of now and before.
#include "job/data/registry.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace nereus::job {
namespace {

/// Whether a part of one may be a part of the other.
bool are_alike(const Entry &one, const Entry &other) {
    Description is = other.is;
    is.name = one.is.name;
    is.registered = one.is.registered;
    return is == one.is && one.borders == other.borders;
}

bool is_pointed_to(const Entry &entry) { return !entry.is.value && entry.pointer != nullptr; }
bool has_moved(const Entry &entry) { return is_pointed_to(entry) && *entry.pointer != entry.data; }

Error unknown_pointer(const Entry &entry) {
    return {NEREUS_ERR_STATE, "the pointer to \"" + entry.is.name +
                                  "\" is not the one that Nereus handed out; the only change allowed is to swap two "
                                  "variable arrays of one layout and type, by their pointers or by nereus_swap()"};
}

/// What moves from entry to entry when parts are swapped: the part, and who frees it.
struct Part {
    void *data;
    nereus_memory memory;
    bool owned;
    std::shared_ptr<memory::Segment> segment;
    bool left_to_mpi;
    std::string name;
};

Part part_of(const Entry &entry) {
    return {entry.data,    entry.memory,      entry.owned,
            entry.segment, entry.left_to_mpi, entry.swapped_from.empty() ? entry.is.name : entry.swapped_from};
}

void put(Part part, Entry &entry) {
    entry.data = part.data;
    entry.memory = part.memory;
    entry.owned = part.owned;
    entry.segment = std::move(part.segment);
    entry.left_to_mpi = part.left_to_mpi;
    entry.swapped_from = part.name == entry.is.name ? std::string() : std::move(part.name);
}

}

/// For each entry the one whose part its pointer shows; nothing where that cannot be.
std::vector<std::optional<std::size_t>> Registry::targets() const {
    std::vector<std::optional<std::size_t>> all;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry &entry = entries_[i];
        auto &target = all.emplace_back();
        if (!has_moved(entry)) {
            target = i;
            continue;
        }
        for (std::size_t j = 0; j < entries_.size(); ++j) {
            const Entry &other = entries_[j];
            // Who else points to its own part keeps it: two pointers to one part are no swap.
            if (other.data != nullptr && has_moved(other) && *entry.pointer == other.data && are_alike(entry, other) &&
                !entry.is.constant)
                target = j;
        }
    }
    return all;
}

Done Registry::follow_pointers() {
    if (std::none_of(entries_.begin(), entries_.end(), has_moved)) return {};
    const auto wanted = targets();
    std::vector<std::size_t> from;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!wanted[i] || std::find(from.begin(), from.end(), *wanted[i]) != from.end())
            return tl::unexpected(unknown_pointer(entries_[i]));
        from.push_back(*wanted[i]);
    }
    permute(from);
    return {};
}

/// Entry i gets what entry from[i] has.
void Registry::permute(const std::vector<std::size_t> &from) {
    std::vector<Part> parts;
    for (const Entry &entry : entries_) parts.push_back(part_of(entry));
    for (std::size_t i = 0; i < from.size(); ++i)
        if (from[i] != i) put(parts[from[i]], entries_[i]);
}

Done Registry::swap(const std::string &one, const std::string &other) {
    if (auto done = follow_pointers(); !done) return done;
    Entry *const first = find(one), *const second = find(other);
    for (const auto &[name, entry] : {std::pair(one, first), std::pair(other, second)})
        if (entry == nullptr) return failed(NEREUS_ERR_NAME, "there is no \"" + name + "\"");
    if (!is_pointed_to(*first) || !is_pointed_to(*second) || !are_alike(*first, *second) || first->is.constant)
        return failed(NEREUS_ERR_MISMATCH,
                      first->is.sentence() + " and " + second->is.sentence() +
                          " cannot be swapped: allowed are two variable arrays of one layout and type");
    Part part = part_of(*first);
    put(part_of(*second), *first);
    put(std::move(part), *second);
    first->point();
    second->point();
    return {};
}

std::size_t Registry::entry_of_part(const Entry &entry) const {
    const std::string &name = entry.swapped_from.empty() ? entry.is.name : entry.swapped_from;
    return static_cast<std::size_t>(find(name) - entries_.data());
}

/// Who has the part of an array that goes keeps it, and counts as the one whose part goes.
void Registry::leave_swaps(const Entry &gone) {
    if (gone.swapped_from.empty()) return;
    for (Entry &entry : entries_)
        if (entry.swapped_from == gone.is.name)
            entry.swapped_from = gone.swapped_from == entry.is.name ? "" : gone.swapped_from;
}

std::vector<int> Registry::parts() const {
    std::vector<int> all;
    for (const Entry &entry : entries_)
        all.push_back(entry.data == nullptr || entry.is.value ? -1 : static_cast<int>(entry_of_part(entry)));
    return all;
}

Done Registry::check_swaps(const std::vector<int> &of_all) const {
    const std::vector<int> own = parts();
    const auto is_an_entry = [&](int part) { return part >= -1 && part < static_cast<int>(own.size()); };
    if (of_all.size() != own.size() || !std::all_of(of_all.begin(), of_all.end(), is_an_entry))
        return failed(NEREUS_ERR_MISMATCH, "what was swapped are not the arrays that this process has");
    for (std::size_t i = 0; i < entries_.size(); ++i)
        if (of_all[i] >= 0 && own[i] >= 0 && own[i] != of_all[i])
            return failed(NEREUS_ERR_MISMATCH,
                          "\"" + entries_[i].is.name + "\" was swapped with another array on some processes only");
    return {};
}

void Registry::apply_swaps(const std::vector<int> &of_all) {
    const std::vector<int> own = parts();
    std::vector<std::size_t> from(entries_.size());
    std::iota(from.begin(), from.end(), std::size_t{0});
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (own[i] >= 0 || of_all[i] < 0) continue;
        // Here it has no elements, and no pointer shows what the others did.
        for (std::size_t j = 0; j < entries_.size(); ++j)
            if (entry_of_part(entries_[j]) == static_cast<std::size_t>(of_all[i])) from[i] = j;
    }
    permute(from);
    forget_swaps();
}

void Registry::forget_swaps() {
    for (Entry &entry : entries_) entry.swapped_from.clear();
}

}
