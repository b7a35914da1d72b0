// SPDX-License-Identifier: BSD-3-Clause
#include "data.hpp"

#include "../complaint.hpp"
#include "types.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace nereus::compat {
namespace {

constexpr std::size_t words_of_entry = 5;

void check(nereus_job *job, int code, const MamEntry &entry) {
    if (code == NEREUS_OK) return;
    give_up("MaM's data of " + std::to_string(entry.elements) + " elements is not taken: " + nereus_message(job));
}

}

std::int64_t MamEntry::bytes() const { return elements * bytes_of_type(type); }

MamData::MamData() : memory_{allocate, release, this} {}

MamEntry *MamData::find(std::size_t index, bool is_replicated, bool constant) {
    Registry &all = registry(is_replicated, constant);
    return index < all.size() ? all[index].get() : nullptr;
}

std::vector<MamEntry *> MamData::replicated() {
    std::vector<MamEntry *> all;
    for (Registry &registry : registries_[1])
        for (auto &entry : registry) all.push_back(entry.get());
    return all;
}

std::vector<MamEntry *> MamData::distributed() {
    std::vector<MamEntry *> all;
    for (Registry &registry : registries_[0])
        for (auto &entry : registry) all.push_back(entry.get());
    std::sort(all.begin(), all.end(), [](const MamEntry *a, const MamEntry *b) { return a->serial < b->serial; });
    return all;
}

void MamData::enter(nereus_job *job, MamEntry &entry) {
    const nereus_kind kind = entry.constant ? NEREUS_CONSTANT : NEREUS_VARIABLE;
    check(job,
          nereus_array_of(job, entry.name().c_str(), entry.type, entry.elements, NEREUS_BLOCK, kind, &entry.data,
                          &memory_),
          entry);
    entry.shown = entry.data;
}

std::size_t MamData::add(nereus_job *job, const MamEntry &entry) {
    Registry &all = registry(entry.replicated, entry.constant);
    MamEntry &added = *all.emplace_back(std::make_unique<MamEntry>(entry));
    added.serial = next_serial_++;
    if (!added.replicated) enter(job, added);
    return all.size() - 1;
}

void MamData::replace(nereus_job *job, MamEntry &old, const MamEntry &entry) {
    if (!old.replicated) check(job, nereus_forget(job, old.name().c_str()), entry);
    old = entry;
    old.serial = next_serial_++;
    if (!old.replicated) enter(job, old);
}

std::vector<std::int64_t> MamData::table() const {
    std::vector<std::int64_t> table{next_serial_};
    for (const auto &kinds : registries_)
        for (const Registry &registry : kinds)
            for (const auto &entry : registry)
                table.insert(table.end(), {entry->serial, entry->replicated, entry->constant, entry->elements,
                                           number_of_type(entry->type)});
    return table;
}

void MamData::take_table(const std::vector<std::int64_t> &table) {
    next_serial_ = table.front();
    for (std::size_t at = 1; at + words_of_entry <= table.size(); at += words_of_entry) {
        MamEntry entry;
        entry.serial = table[at];
        entry.replicated = table[at + 1] != 0;
        entry.constant = table[at + 2] != 0;
        entry.elements = table[at + 3];
        entry.type = type_of_number(table[at + 4]);
        registry(entry.replicated, entry.constant).push_back(std::make_unique<MamEntry>(entry));
    }
}

void MamData::register_all(nereus_job *job) {
    for (MamEntry *entry : distributed()) enter(job, *entry);
    fresh_.clear();
}

/// Nereus leaves a part that does not change where it is. All entries go through its registry again, since their order
/// must be the same on all processes.
void MamData::renew(nereus_job *job) {
    for (MamEntry *entry : distributed()) {
        if (entry->data != nullptr && entry->data == entry->shown) {
            const auto bytes =
                static_cast<std::size_t>(nereus_count(job, entry->name().c_str()) * bytes_of_type(entry->type));
            entry->data = allocate(bytes, this);
            if (entry->data == nullptr) give_up("no memory for " + std::to_string(bytes) + " B of MaM's data");
            std::memcpy(entry->data, entry->shown, bytes);
        }
        check(job, nereus_forget(job, entry->name().c_str()), *entry);
        enter(job, *entry);
    }
    fresh_.clear();
}

void *MamData::allocate(std::size_t bytes, void *context) {
    void *memory = std::malloc(std::max<std::size_t>(bytes, 1));
    if (memory != nullptr) static_cast<MamData *>(context)->fresh_.insert(memory);
    return memory;
}

/// What the application has seen is its own to free.
void MamData::release(void *memory, void *context) {
    if (static_cast<MamData *>(context)->fresh_.erase(memory) == 1) std::free(memory);
}

}
