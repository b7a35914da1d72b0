// SPDX-License-Identifier: BSD-3-Clause
// A vector that is cut in blocks, whole on every process.
#pragma once

#include <nereus/nereus.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace applications {

/// Most elements: MPI_Allgatherv takes places as int (MPI 4.0, section 6.7).
inline constexpr std::int64_t most_gathered = 2147483647;

/// Who has which part, for one generation of the job.
class Gather {
public:
    /// Collective. @param mine how many elements this process has
    Gather(MPI_Comm comm, std::int64_t mine);

    /// Collective. @return all elements; valid until the next call
    std::span<const double> operator()(std::span<const double> mine);

private:
    MPI_Comm comm_;
    std::vector<int> counts_, places_;
    std::vector<double> all_;
};

}
