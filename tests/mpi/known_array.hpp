// SPDX-License-Identifier: BSD-3-Clause
// Arrays of every layout, kind and extent whose bytes are known: a function of name, element, byte and iteration.
#pragma once

#include "expect.hpp"

#include <nereus/nereus.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace testing_mpi {

/// How an array is cut. `cyclic` deals single elements out, `cyclic_in_fives` blocks of five.
enum class Way { block, replicated, weighted, cyclic, cyclic_in_fives, grid };
constexpr int ways_to_cut = 6;

struct KnownArray {
    Way way;
    std::int64_t extent;        ///< 1, 3, 8, or 24: a derived type with a gap
    std::int64_t rows, columns; ///< elements = rows * columns; only a grid makes a difference between the two
    enum nereus_kind kind;

    std::int64_t elements() const { return rows * columns; }
};

/// MPI_DOUBLE, MPI_BYTE, or a derived type that is freed with this.
class ElementType {
public:
    explicit ElementType(std::int64_t extent) {
        if (extent == 24) make_with_gap();
        if (extent == 3) MPI_Type_contiguous(3, MPI_BYTE, &type_);
        derived_ = type_ != MPI_DATATYPE_NULL;
        if (derived_)
            MPI_Type_commit(&type_);
        else
            type_ = extent == 8 ? MPI_DOUBLE : MPI_BYTE;
    }
    ElementType(const ElementType &) = delete;
    ElementType &operator=(const ElementType &) = delete;
    ~ElementType() {
        if (derived_) MPI_Type_free(&type_);
    }
    MPI_Datatype get() const { return type_; }

private:
    void make_with_gap() {
        int lengths[] = {1, 1};
        MPI_Aint places[] = {0, 8};
        MPI_Datatype types[] = {MPI_INT32_T, MPI_DOUBLE}, made;
        MPI_Type_create_struct(2, lengths, places, types, &made);
        MPI_Type_create_resized(made, 0, 24, &type_);
        MPI_Type_free(&made);
    }

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    bool derived_ = false;
};

/// One array of a job, as this process holds it.
class HeldArray {
public:
    HeldArray(const KnownArray &array, std::size_t number)
        : is_(array), name_("array " + std::to_string(number)), seed_(number * 0x2545F4914F6CDD1DULL + 1),
          type_(array.extent) {}
    HeldArray(const HeldArray &) = delete;
    HeldArray &operator=(const HeldArray &) = delete;

    const std::string &name() const { return name_; }
    int enter(nereus_job *job) {
        const nereus_distribution cut = cut_in(is_.way);
        return nereus_array_distributed(job, name_.c_str(), type_.get(), is_.elements(), &cut, is_.kind,
                                        reinterpret_cast<void **>(&bytes_), nullptr);
    }

    void fill(nereus_job *job, std::int64_t iteration) {
        for_own_bytes(job, iteration, [](std::byte &byte, std::byte right) { byte = right; });
    }

    /// From an iteration to the next.
    void advance(nereus_job *job, std::int64_t to) {
        if (is_.kind == NEREUS_VARIABLE) fill(job, to);
    }

    bool is_right(nereus_job *job, std::int64_t iteration) {
        bool right = true;
        for_own_bytes(job, iteration, [&](std::byte &byte, std::byte wanted) { right = right && byte == wanted; });
        return right;
    }

    /// Collective: whether each element is on one process, or on all of them where it is replicated.
    bool is_whole(nereus_job *job) const {
        std::int64_t mine = nereus_count(job, name_.c_str()), all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, nereus_comm(job));
        return all == is_.elements() * (distribution(job).layout == NEREUS_REPLICATED ? size_of(nereus_comm(job)) : 1);
    }

    /// Collective: another distribution, or the one that it has.
    void distribute(nereus_job *job, Way way) {
        const nereus_distribution wanted = cut_in(way);
        const int code = nereus_change_distribution(job, name_.c_str(), &wanted);
        expect(code == NEREUS_OK || code == NEREUS_UNCHANGED, nereus_message(job));
        const nereus_distribution has = distribution(job);
        expect(has.layout == wanted.layout, "it has the layout that it was to get");
        expect(has.layout != NEREUS_CYCLIC || has.block == wanted.block, "it has the blocks that it was to get");
        expect(has.layout != NEREUS_GRID ||
                   (has.grid_rows == wanted.grid_rows && has.grid_columns == wanted.grid_columns),
               "it has the grid that it was to get");
        expect(has.layout != NEREUS_WEIGHTED || (has.weight_count == 5 && has.weights[2] == 4), "it has the weights");
    }

private:
    nereus_distribution distribution(nereus_job *job) const {
        nereus_distribution distribution{};
        expect(nereus_array_distribution(job, name_.c_str(), &distribution) == NEREUS_OK, nereus_message(job));
        return distribution;
    }

    nereus_distribution cut_in(Way way) const {
        static const std::int32_t weights[] = {3, 1, 4, 1, 5};
        nereus_distribution cut{};
        static const enum nereus_layout layouts[] = {NEREUS_BLOCK,  NEREUS_REPLICATED, NEREUS_WEIGHTED,
                                                     NEREUS_CYCLIC, NEREUS_CYCLIC,     NEREUS_GRID};
        cut.layout = layouts[static_cast<int>(way)];
        cut.weights = weights;
        cut.weight_count = 5;
        cut.block = way == Way::cyclic_in_fives ? 5 : 1;
        cut.rows = is_.rows;
        cut.columns = is_.columns;
        cut.block_rows = 2;
        cut.block_columns = 3;
        cut.grid_rows = is_.extent == 3 ? 1 : 0;
        cut.grid_columns = is_.extent == 8 ? 1 : 0;
        return cut;
    }

    /// use(byte, its right content) for all bytes of this process' part.
    template <class Use> void for_own_bytes(nereus_job *job, std::int64_t iteration, Use use) {
        const int self = rank_in(nereus_comm(job));
        const std::uint64_t when = is_.kind == NEREUS_VARIABLE ? static_cast<std::uint64_t>(iteration) : 0;
        std::int64_t seen = 0;
        for (std::int64_t element = 0; element < is_.elements(); ++element) {
            int rank = -1;
            const std::int64_t place = nereus_locate(job, name_.c_str(), element, &rank);
            expect(place >= 0, "every element has a place");
            if (rank != self) continue;
            ++seen;
            for (std::int64_t byte = 0; byte < is_.extent; ++byte)
                use(bytes_[place * is_.extent + byte], content(static_cast<std::uint64_t>(element), byte, when));
        }
        expect(seen == nereus_count(job, name_.c_str()), "a part is as long as its elements");
    }

    std::byte content(std::uint64_t element, std::int64_t byte, std::uint64_t when) const {
        const std::uint64_t mixed = (element * 31 + static_cast<std::uint64_t>(byte) + when * 1000003 + seed_);
        return static_cast<std::byte>((mixed * 0x9E3779B97F4A7C15ULL) >> 56);
    }

    KnownArray is_;
    std::string name_;
    std::uint64_t seed_;
    ElementType type_;
    std::byte *bytes_ = nullptr;
};

/// All arrays of a job and the number of its iteration.
class KnownData {
public:
    explicit KnownData(const std::vector<KnownArray> &arrays) {
        for (const KnownArray &array : arrays) held_.push_back(std::make_unique<HeldArray>(array, held_.size()));
    }

    void enter(nereus_job *job) {
        for (const auto &array : held_) expect(array->enter(job) == NEREUS_OK, nereus_message(job));
        expect(nereus_value(job, "iteration", MPI_INT64_T, 1, &iteration_) == NEREUS_OK, nereus_message(job));
        if (nereus_generation(job) == 0)
            for (const auto &array : held_) array->fill(job, iteration_);
    }

    /// One iteration: all variable data changes.
    void advance(nereus_job *job) {
        ++iteration_;
        for (const auto &array : held_) array->advance(job, iteration_);
    }

    /// Collective. @param where  what was done last
    void check(nereus_job *job, const std::string &where) {
        for (const auto &array : held_) {
            expect(array->is_right(job, iteration_),
                   (where + ": all bytes of " + array->name() + " are right").c_str());
            expect(array->is_whole(job), (where + ": " + array->name() + " is whole").c_str());
        }
    }

    /// Collective: each array gets one of all distributions, another one for another number.
    void distribute_anew(nereus_job *job, std::uint64_t number) {
        for (const auto &array : held_) {
            number = number * 6364136223846793005ULL + 1442695040888963407ULL;
            array->distribute(job, static_cast<Way>((number >> 33) % ways_to_cut));
        }
    }

    std::int64_t iteration() const { return iteration_; }

private:
    std::vector<std::unique_ptr<HeldArray>> held_;
    std::int64_t iteration_ = 0;
};

}
