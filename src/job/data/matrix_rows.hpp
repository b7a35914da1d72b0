// SPDX-License-Identifier: BSD-3-Clause
// Sparse matrices by rows (CSR): which nonzeros go with which rows.
//
// A matrix is three arrays of the registry. The starts of its rows are cut as rows are, with a halo of one; columns and
// values are cut where the starts at the borders of the rows say so. At a resize these numbers come first: the sources
// agree on them before any memory is taken for the next generation, and newcomers are told.
#pragma once

#include "job/data/registry.hpp"
#include "plan/sizes.hpp"

#include <mpi.h>

namespace nereus::job {

struct MatrixParts {
    Description starts, columns, values;

    void set_nonzeros(std::int64_t nonzeros) { columns.shape.elements = values.shape.elements = nonzeros; }
    /// Places are counted in bytes too.
    std::int64_t most_nonzeros() const;
};

/// @param starts  whose elements are the rows
/// @param values  under the same name, without elements
MatrixParts parts_of_matrix(Description starts, Description values);

/// Collective over the founders: the borders of their nonzeros. NEREUS_ERR_ARGUMENT on all names a number that is not
/// allowed.
Result<std::vector<std::int64_t>> borders_of_founders(MPI_Comm founders, std::int64_t nonzeros, std::int64_t most);

/// Collective over the sources: the next borders of all matrices. NEREUS_ERR_MISMATCH on all names a row whose start
/// cannot be.
Done cut_nonzeros(MPI_Comm sources, Registry &registry, const plan::Sizes &sizes);

/// Tells the application where its rows of each matrix are now.
void show_numbers(Registry &registry, int ranks, int rank);

}
