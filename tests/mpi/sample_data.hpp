// SPDX-License-Identifier: BSD-3-Clause
// Data of every kind that can be registered, whose right content is known for each element at any time.
#pragma once

#include "expect.hpp"

#include <nereus/nereus.h>

#include <cstdint>
#include <cstring>
#include <map>

namespace testing_mpi {

/// Counts what the library takes from the application's memory functions.
struct CountedMemory {
    std::map<void *, std::size_t> blocks;

    static void *allocate(std::size_t bytes, void *context) {
        void *memory = std::malloc(bytes == 0 ? 1 : bytes);
        static_cast<CountedMemory *>(context)->blocks[memory] = bytes;
        return memory;
    }
    static void release(void *memory, void *context) {
        expect(static_cast<CountedMemory *>(context)->blocks.erase(memory) == 1,
               "memory is released once, to whom it came from");
        std::free(memory);
    }
    nereus_memory functions() { return {allocate, release, this}; }
};

/// An element with a gap, as a derived type describes it: 12 bytes of content in an extent of 16.
struct Body {
    std::int32_t id;
    std::int32_t gap;
    double mass;
};

inline MPI_Datatype body_type() {
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {offsetof(Body, id), offsetof(Body, mass)};
    MPI_Datatype types[2] = {MPI_INT32_T, MPI_DOUBLE}, made, resized;
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_create_resized(made, 0, sizeof(Body), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&made);
    return resized;
}

class SampleData {
public:
    static constexpr std::int64_t n = 1003, few = 2, none = 0, copies = 33, letters = 10007;

    SampleData() : body_(body_type()) {}
    SampleData(const SampleData &) = delete;
    SampleData &operator=(const SampleData &) = delete;

    /// @return the code of the first registration that failed, else NEREUS_OK
    int enter(nereus_job *job, bool founder) {
        if (founder) own_letters(job);
        const nereus_memory memory = counted_.functions();
        const int codes[] = {
            nereus_array(job, "x", MPI_DOUBLE, n, NEREUS_BLOCK, NEREUS_VARIABLE, reinterpret_cast<void **>(&x)),
            nereus_array(job, "bodies", body_, n, NEREUS_BLOCK, NEREUS_CONSTANT, reinterpret_cast<void **>(&bodies)),
            nereus_array(job, "few", MPI_INT64_T, few, NEREUS_BLOCK, NEREUS_CONSTANT, reinterpret_cast<void **>(&few_)),
            nereus_array(job, "none", MPI_FLOAT, none, NEREUS_BLOCK, NEREUS_VARIABLE,
                         reinterpret_cast<void **>(&none_)),
            nereus_array(job, "copies", MPI_FLOAT, copies, NEREUS_REPLICATED, NEREUS_VARIABLE,
                         reinterpret_cast<void **>(&copies_)),
            nereus_array_of(job, "letters", MPI_CHAR, letters, NEREUS_BLOCK, NEREUS_VARIABLE,
                            reinterpret_cast<void **>(&letters_), &memory),
            nereus_value(job, "step", MPI_INT64_T, 1, &step)};
        for (const int code : codes)
            if (code != NEREUS_OK) return code;
        if (founder) fill(job);
        return NEREUS_OK;
    }

    /// One iteration: all variable data changes.
    void advance(nereus_job *job) {
        ++step;
        const std::int64_t xs = nereus_count(job, "x"), chars = nereus_count(job, "letters");
        for (std::int64_t i = 0; i < xs; ++i) x[i] += 1;
        for (std::int64_t i = 0; i < chars; ++i) ++letters_[i];
        for (std::int64_t i = 0; i < copies; ++i) copies_[i] += 1;
    }

    void check(nereus_job *job) const {
        check_blocks(job);
        expect(nereus_count(job, "copies") == copies && nereus_first(job, "copies") == 0,
               "replicated arrays are whole");
        for (std::int64_t i = 0; i < copies; ++i)
            expect(copies_[i] == static_cast<float>(i + step), "replicated data is right");
        expect(nereus_count(job, "none") == 0, "an empty array stays empty");
        std::int64_t mine = nereus_count(job, "x"), all = 0;
        MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, nereus_comm(job));
        expect(all == n, "every element is on exactly one process");
    }

    /// What the application must still free itself, after nereus_close() or on leaving, and before MPI_Finalize().
    void free_own() {
        MPI_Type_free(&body_);
        if (letters_ != nullptr) CountedMemory::release(letters_, &counted_);
        letters_ = nullptr;
        expect(counted_.blocks.empty(), "the application's memory was all given back");
    }

    std::int64_t step = 0;
    double *x = nullptr;
    Body *bodies = nullptr;

private:
    /// A founder's own buffer holds its part before it is registered.
    void own_letters(nereus_job *job) {
        const int rank = rank_in(nereus_comm(job)), size = size_of(nereus_comm(job));
        const std::int64_t count = letters / size + (rank < letters % size ? 1 : 0);
        letters_ = static_cast<char *>(CountedMemory::allocate(static_cast<std::size_t>(count), &counted_));
    }

    void fill(nereus_job *job) {
        for (std::int64_t i = 0, first = nereus_first(job, "x"); i < nereus_count(job, "x"); ++i) {
            expect(x[i] == 0, "a founder's memory is zeroed");
            x[i] = static_cast<double>(first + i);
            bodies[i] = {static_cast<std::int32_t>(first + i), 7, 0.5 * static_cast<double>(first + i)};
        }
        for (std::int64_t i = 0; i < nereus_count(job, "few"); ++i) few_[i] = 100 + nereus_first(job, "few") + i;
        for (std::int64_t i = 0; i < copies; ++i) copies_[i] = static_cast<float>(i);
        const std::int64_t first = nereus_first(job, "letters"), count = nereus_count(job, "letters");
        for (std::int64_t i = 0; i < count; ++i) letters_[i] = static_cast<char>(first + i);
    }

    void check_blocks(nereus_job *job) const {
        const std::int64_t first = nereus_first(job, "x"), count = nereus_count(job, "x");
        for (std::int64_t i = 0; i < count; ++i) {
            expect(x[i] == static_cast<double>(first + i + step), "variable data is right");
            expect(bodies[i].id == first + i && bodies[i].mass == 0.5 * static_cast<double>(first + i),
                   "derived types are right");
        }
        for (std::int64_t i = 0; i < nereus_count(job, "few"); ++i)
            expect(few_[i] == 100 + nereus_first(job, "few") + i, "fewer elements than processes is right");
        const std::int64_t begin = nereus_first(job, "letters"), chars = nereus_count(job, "letters");
        for (std::int64_t i = 0; i < chars; ++i)
            expect(letters_[i] == static_cast<char>(begin + i + step), "the application's own buffer is right");
    }

    CountedMemory counted_;
    MPI_Datatype body_;
    std::int64_t *few_ = nullptr;
    float *none_ = nullptr, *copies_ = nullptr;
    char *letters_ = nullptr;
};

}
