// SPDX-License-Identifier: BSD-3-Clause
// The run file (docs/formats/run.md) as the emulator works with it: read, checked, and the same on all ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>
#include <nereus/nereus.h>
#include <nlohmann/json.hpp>

#include "failure.hpp"
#include "stage_type.hpp"
#include "words.hpp"

namespace emulator {

enum class Capture { max, mean, median };
enum class Reduce { sum, max };

/// Who says when the job is resized, and to what size: the run, or others, such as a daemon.
enum class Resizes { scheduled, commanded };

/// Where the epochs are that the job continues from after a failure.
enum class Protection { none, in_memory, on_disk };

/// Processes that die at the beginning of an iteration.
struct FailureSpec {
    std::int64_t iteration = 0; ///< from 0, over all phases
    bool whole_host = false;    ///< with all processes on the host of the rank
    std::int64_t rank = -1;     ///< -1, or where it is not there: the last
};

struct StageSpec {
    const StageType *type = nullptr; ///< never null where the run file was read
    double seconds = 0;
    std::int64_t bytes = 0;
    std::int64_t granularity = 1;
    bool capped = false;
    bool padded = false;  ///< what is left of `seconds` behind its operation is waited out
    std::int64_t id = -1; ///< -1: none
    int ranks = 0;        ///< 0: all
    bool scaled = true;   ///< by the factors of groups
    Reduce reduction = Reduce::max;
};

struct PhaseSpec {
    std::int64_t iterations = 0;
    std::vector<StageSpec> stages;
};

struct GroupSpec {
    std::int64_t iterations = 0;
    int ranks = 0;
    double factor = 1;
    std::vector<double> weights{1.0}; ///< of ranks, in turn
    std::vector<double> times;        ///< seconds of each stage of all phases, in place of its own; empty: its own
    nereus_placement placement = NEREUS_COMPACT;
    nereus_release_unit release_unit = NEREUS_UNIT_JOB;
    nereus_process_method process_method = NEREUS_MERGE;
    unsigned process_strategies = 0; ///< sum of enum nereus_process_strategy
    nereus_transfer_method transfer_method = NEREUS_P2P;
    nereus_transfer_strategy transfer_strategy = NEREUS_BLOCKING;
    nereus_survivors survivors = NEREUS_FIRST;
};

struct Run {
    std::uint64_t seed = 0;
    bool barrier = false;
    Capture capture = Capture::max;
    bool verify = false;
    std::int64_t constant_bytes = 0;
    std::int64_t variable_bytes = 0;
    std::int64_t element_bytes = 8;
    std::string memory; ///< value of the library's setting of this name
    std::string scratch;
    std::vector<PhaseSpec> phases;
    std::vector<GroupSpec> groups; ///< in turn; commanded: how the job behaves on that many ranks
    Resizes resizes = Resizes::scheduled;
    Protection protection = Protection::none;
    std::vector<FailureSpec> failures; ///< in the order of their iterations
    nlohmann::ordered_json document;   ///< as it was read, for the header of the results

    std::int64_t iterations() const; ///< of all phases
    std::size_t stages() const;      ///< of all phases
    bool is_commanded() const { return resizes == Resizes::commanded; }
    std::optional<std::size_t> group_for(int ranks) const; ///< the first with so many; nothing where there is none
};

/// Computation and files: work that a rank does on its own. All other stages need the same calls on all ranks.
bool is_local(const StageSpec &stage);
bool is_compute(const StageSpec &stage);
bool is_file(const StageSpec &stage);
bool is_wait(const StageSpec &stage);

/// The run that `text` describes; `file` is its name in a message. Failures have exit_bad_input.
Result<Run> parse_run(const std::string &file, const std::string &text);

/// The run of `file`: read by rank 0 of `comm`, parsed by all. Collective.
Result<Run> load_run(const std::string &file, MPI_Comm comm);

} // namespace emulator
