// SPDX-License-Identifier: BSD-3-Clause
// MaM's four registries: replicated or distributed data, constant or variable.
//
// Distributed entries are arrays of Nereus in the application's memory. Replicated ones are what the root has at the
// commit, in the buffers that the application registered: they travel in the user's phase of a resize (user_phase.hpp),
// so that survivors keep their buffers, as with MaM.
#pragma once

#include <nereus/nereus.h>

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace nereus::compat {

struct MamEntry {
    std::int64_t serial = 0; ///< the order in which arrays are registered with Nereus; part of their names
    bool replicated = false;
    bool constant = false;
    std::int64_t elements = 0; ///< of the whole
    MPI_Datatype type = MPI_DATATYPE_NULL;
    void *data = nullptr;     ///< of this process
    void *shown = nullptr;    ///< what the application knows of
    std::vector<char> next{}; ///< replicated: what comes with a resize

    std::string name() const { return "mam." + std::to_string(serial); }
    std::int64_t bytes() const;
};

class MamData {
public:
    MamData();
    using Registry = std::vector<std::unique_ptr<MamEntry>>;

    Registry &registry(bool replicated, bool constant) { return registries_[replicated ? 1 : 0][constant ? 1 : 0]; }
    MamEntry *find(std::size_t index, bool replicated, bool constant);

    /// @return its index
    std::size_t add(nereus_job *job, const MamEntry &entry);
    void replace(nereus_job *job, MamEntry &old, const MamEntry &entry);

    /// What newcomers must know of all entries.
    std::vector<std::int64_t> table() const;
    void take_table(const std::vector<std::int64_t> &table);

    std::vector<MamEntry *> replicated();
    bool has_constant() const { return !registries_[0][1].empty(); }

    /// A newcomer gets its parts.
    void register_all(nereus_job *job);
    /// After a commit: every survivor gets new buffers, which programs rely on when they free the old ones.
    void renew(nereus_job *job);

private:
    std::vector<MamEntry *> distributed();
    void enter(nereus_job *job, MamEntry &entry);
    static void *allocate(std::size_t bytes, void *context);
    static void release(void *memory, void *context);

    Registry registries_[2][2];
    std::int64_t next_serial_ = 0;
    std::set<void *> fresh_; ///< memory that the application has not seen yet
    nereus_memory memory_;
};

}
