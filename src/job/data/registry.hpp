// SPDX-License-Identifier: BSD-3-Clause
// What the application has registered: arrays that are cut over the ranks, and small values.
#pragma once

#include "base/error.hpp"
#include "memory/segment.hpp"
#include "plan/distribution.hpp"
#include "plan/survivors.hpp"

#include <nereus/nereus.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereus::job {

/// Bytes of the name of an array, of a value or of a stage.
inline constexpr std::size_t longest_name = 63;

/// All that two shapes can differ in, but for their elements.
std::string shape_in_words(const plan::Shape &shape);

/// What all processes of a job must agree on.
struct Description {
    std::string name;
    bool value = false; ///< a small value in the application's memory, the same on all ranks
    bool constant = false;
    bool shared = false; ///< lies in shared memory, one file on each host
    plan::Shape shape{};
    std::int64_t extent = 0; ///< bytes of an element
    std::int64_t halo = 0;   ///< plan::Distribution::with_halo(): 1 for the row starts of a matrix
    std::string
        rows_of{};      ///< of columns and values of a matrix: the name of its row starts, which say how they are cut
    std::string type{}; ///< of its elements, as epochs name it (epochs::ArrayForm); "": bytes
    /// As the program registers it, where the job has changed its distribution since: newcomers, and a program that
    /// continues from an epoch, register this and get what is there.
    std::optional<plan::Shape> registered{};

    bool operator==(const Description &) const = default;
    std::int64_t elements() const { return shape.elements + halo; }
    std::int64_t bytes() const { return elements() * extent; }
    plan::Distribution over(int ranks) const { return plan::Distribution(shape, ranks).with_halo(halo); }
    std::string sentence() const;
    /// Whether it may get another one: no value, and no part of a matrix, whose rows go with their nonzeros.
    bool has_own_distribution() const { return !value && halo == 0 && rows_of.empty(); }
    /// With another distribution of the same elements.
    Description with(const plan::Shape &other) const;
};

struct Entry {
    Description is;
    void *data = nullptr;     ///< this process' part, or the value
    void **pointer = nullptr; ///< the application's pointer to the part; NULL until a newcomer registers it
    nereus_memory memory{};
    bool owned = true;                          ///< data is freed with the registry; else it is the application's
    std::shared_ptr<memory::Segment> segment{}; ///< of a shared array; then data lies in it

    std::uint64_t registration = 0; ///< that brought it into a registry; no two of one registry have the same
    bool left_to_mpi = false;       ///< others may still read data: it is never freed

    nereus_matrix *matrix = nullptr; ///< of row starts: the application's, whose numbers follow resizes
    /// plan::Distribution::at() of this generation, and of the one that a resize is making: of columns and values of a
    /// matrix, and of rows that were balanced; none: as the shape says.
    std::vector<std::int64_t> borders{};
    std::vector<std::int64_t> next_borders{};
    std::optional<plan::Shape> next_shape{};         ///< that it is about to get; none: its own
    std::shared_ptr<memory::Segment> next_segment{}; ///< to which it is about to come from memory of its processes

    std::string swapped_from{}; ///< the array whose part it was when all agreed last; empty: its own

    /// How the array lies over the processes of this generation, and over those that a resize is making.
    plan::Distribution before(int ranks) const {
        return borders.empty() ? is.over(ranks) : plan::Distribution::at(borders).with_halo(is.halo);
    }
    plan::Distribution after(int ranks) const {
        if (!next_borders.empty()) return plan::Distribution::at(next_borders).with_halo(is.halo);
        return plan::Distribution(next_shape.value_or(is.shape), ranks).with_halo(is.halo);
    }
    /// after() is before() from now on.
    void adopt_next();

    std::byte *bytes() const { return static_cast<std::byte *>(data); }
    void point() const {
        if (pointer != nullptr) *pointer = data;
    }
    bool is_a_block() const; ///< data is of src/memory/block.hpp
    void leave_to_mpi();
    void let_go(); ///< the application's pointer included; memory of the application stays
    void release(void *part) const {
        if (part != nullptr && !segment && !left_to_mpi) memory.release(part, memory.context);
    }
};

/// The library's own memory for parts: blocks of src/memory/block.hpp.
nereus_memory library_memory();
/// malloc and free, for buffers of the application that names no other functions.
nereus_memory c_memory();

class Registry {
public:
    Registry() = default;
    Registry(Registry &&other) noexcept = default;
    Registry &operator=(Registry &&other) noexcept { // what was here is released with `other`
        entries_.swap(other.entries_);
        std::swap(bound_, other.bound_);
        return *this;
    }
    ~Registry();

    /// Whether a new entry may have this name.
    Done check_name(const std::string &name) const;
    /// A founder's or survivor's registration, by a name that was checked.
    void add(Entry entry);

    /// Whether the entry of this name, with the other parts of a matrix, may go.
    Done check_can_go(const std::string &name) const;
    /// What remove() may take out, of shared memory when all have agreed on swaps; its memory is released as
    /// ~Registry() does.
    void remove(const std::string &name);

    /// Entries that came with the offer of a resize; the application registers them in the same order.
    void expect(std::vector<Entry> entries) { entries_ = std::move(entries); }
    bool expects_more() const { return bound_ < entries_.size(); }
    /// NULL where all is registered.
    const Entry *next_expected() const { return expects_more() ? &entries_[bound_] : nullptr; }
    /// Follows an application that has swapped its pointers to parts of arrays that are alike: the parts go by the
    /// names of the pointers from now on. NEREUS_ERR_STATE names a pointer to anything else; nothing is changed then.
    Done follow_pointers();

    /// As if the application had swapped the pointers to these two.
    Done swap(const std::string &one, const std::string &other);

    /// Which entry's part each entry has had since all agreed last; -1 where this process has no elements of it.
    std::vector<int> parts() const;
    /// Whether what all processes say of that is so here; NEREUS_ERR_MISMATCH where this process has other parts.
    Done check_swaps(const std::vector<int> &of_all) const;
    /// Of swaps that were checked: arrays without elements here are swapped too, and from now on each entry has its
    /// own.
    void apply_swaps(const std::vector<int> &of_all);
    /// From now on each entry has its own.
    void forget_swaps();

    /// The next expected entry, which must be `asked`.
    Result<Entry *> bind(const Description &asked);

    const Entry *find(const std::string &name) const;
    Entry *find(const std::string &name) { return const_cast<Entry *>(std::as_const(*this).find(name)); }
    /// As the shapes say, whatever an earlier resize was to make of them.
    void forget_next() {
        for (Entry &entry : entries_) {
            entry.next_borders.clear();
            entry.next_shape.reset();
            entry.next_segment.reset();
        }
    }
    /// Of rows that were balanced, where `is` has as many, cut by the same weights; none where they were not.
    std::vector<std::int64_t> borders_like(const Description &is) const;
    /// Of all processes together: arrays and values.
    std::int64_t bytes() const;
    /// Those of the constant arrays, or of the variable ones.
    std::int64_t bytes_of_arrays(bool constant) const;
    std::vector<Entry> &entries() { return entries_; }
    const std::vector<Entry> &entries() const { return entries_; }

private:
    std::vector<std::optional<std::size_t>> targets() const;
    std::size_t entry_of_part(const Entry &entry) const;
    void leave_swaps(const Entry &gone);
    void permute(const std::vector<std::size_t> &from);

    std::vector<Entry> entries_;
    std::size_t bound_ = 0;
    std::uint64_t registrations_ = 0; ///< all of this process
};

enum class Which { of_each_process, of_hosts_too };

/// Arrays in memory of each process; those that a host's processes share stay there whoever goes on, unless a process
/// of another host gets that part.
std::vector<plan::LocalSizes> arrays_held(const Registry &registry, const plan::Sizes &sizes, Which which);

}
