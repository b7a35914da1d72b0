// SPDX-License-Identifier: BSD-3-Clause
// Datatypes of bytes that free themselves. Their places are not bound to 2^31, their lengths are: what is longer
// travels in several messages, since counts of MPI 3 are ints.
//
// They are made of the widest unit that divides all of them: MPIs copy unit by unit where bytes do not lie in a row
// (MPICH 5.0.2 packs runs of 512 bytes at a tenth of the rate where they are told as bytes).
#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace nereus::mpi {

/// Bytes in a row, at a distance from the address that a call is given.
struct Block {
    std::int64_t place;
    std::int64_t bytes;
};

/// What bytes are told in. Both sides of a message must take the same one (MPI 4.0, section 3.3.1).
struct Unit {
    MPI_Datatype type = MPI_BYTE;
    int bytes = 1;

    /// The widest one of which `divisor` bytes are a multiple.
    static Unit widest(std::int64_t divisor);
};

class Type {
public:
    Type() = default;
    Type(Type &&other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
    Type &operator=(Type &&other) noexcept {
        std::swap(type_, other.type_);
        return *this;
    }
    ~Type() {
        if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
    }

    /// All `blocks`, in this order; `repeats` times, each `step` bytes behind the last. Their bytes are multiples of
    /// the unit.
    static Type blocks(const std::vector<Block> &blocks, std::int64_t repeats, std::int64_t step, const Unit &unit);

    /// All `parts`, at one address, in this order.
    static Type together(const std::vector<Type> &parts);

    MPI_Datatype get() const { return type_; }

private:
    explicit Type(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}
