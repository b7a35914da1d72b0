// SPDX-License-Identifier: BSD-3-Clause
// Datatypes that free themselves, for counts beyond 2^31 too.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <utility>

namespace nereus::mpi {

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

    /// `bytes` bytes in a row.
    static Type bytes(std::int64_t bytes);

    /// `bytes` bytes that lie `offset` bytes behind the address that a call is given.
    static Type bytes_at(std::int64_t offset, std::int64_t bytes);

    MPI_Datatype get() const { return type_; }

private:
    explicit Type(MPI_Datatype type) : type_(type) {}
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}
