// SPDX-License-Identifier: BSD-3-Clause
// The types of stages. The file of each registers it, and what differs between them is asked of the type.
// stages.toml says what experiment files and Proteo's know of them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

namespace emulator {

class Stage;
struct StageSpec;
struct Team;
struct Workplace;

enum class StageKind {
    compute, ///< work that a rank does on its own with its core
    file,    ///< work that a rank does on its own with a file
    message, ///< calls that return when the messages have arrived; the same on the whole team
    begin,   ///< messages that go on behind the stage, until a wait of the same id
    wait     ///< ends those
};

struct StageType {
    std::string_view word; ///< in the run file
    StageKind kind;
    /// Local; throws std::bad_alloc or std::length_error when there is no memory for it.
    std::unique_ptr<Stage> (*make)(const StageSpec &, const Team &, Workplace &);
    bool costs_vary = true; ///< an operation takes another time with other stages beside it
};

/// By their words.
const std::vector<const StageType *> &stage_types();

/// Null where there is none of that word.
const StageType *stage_type(std::string_view word);

/// The file of a stage has one of these for each of its types, outside of all functions.
class RegisteredStage {
public:
    explicit RegisteredStage(const StageType &type);

private:
    StageType type_;
};

} // namespace emulator
