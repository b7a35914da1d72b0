// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Data of the application's own in C++, over nereus_on_save() and nereus_on_resize(): functions are any that can be
/// called, and refuse by an exception, whose text goes to stderr. Both are called before the job is opened.
///
///     std::vector<std::string> words;
///     nereus::on_save(
///         "words",
///         [&](nereus::Pieces &pieces) {
///             for (const auto &word : words) pieces.add(std::as_bytes(std::span(word)));
///         },
///         [&](MPI_Comm, std::span<const nereus::Piece> pieces) {
///             for (const auto piece : pieces)
///                 words.emplace_back(reinterpret_cast<const char *>(piece.data()), piece.size());
///         });
#ifndef NEREUS_OWN_DATA_HPP
#define NEREUS_OWN_DATA_HPP

#include <nereus/nereus.hpp>

#include <cstdio>
#include <functional>
#include <map>

namespace nereus {

/// One that stays whole; may be empty.
using Piece = std::span<const std::byte>;

/// Those of this process, as nereus_pieces, for an epoch.
class Pieces {
public:
    /// Copies it, behind those that are there.
    void add(Piece piece) {
        bytes_.insert(bytes_.end(), piece.begin(), piece.end());
        starts_.push_back(static_cast<std::int64_t>(bytes_.size()));
    }

    /// @return what refers to these, until they are changed
    nereus_pieces get() const { return {std::ssize(starts_) - 1, starts_.data(), bytes_.data()}; }

private:
    std::vector<std::int64_t> starts_{0};
    std::vector<std::byte> bytes_;
};

/// Adds the pieces of this process.
using SavePieces = std::function<void(Pieces &)>;
/// Collective over the job, that of the first argument: takes the pieces of this process, which are valid during the
/// call.
using LoadPieces = std::function<void(MPI_Comm, std::span<const Piece>)>;
/// As nereus_redistribution. What it throws for NEREUS_MOVE undoes the resize; for the others it must throw nothing.
using Redistribution = std::function<void(nereus_redistribution_step, const nereus_sides &)>;

/// What C calls, until the process ends.
namespace own_data {

struct Saved {
    SavePieces save;
    LoadPieces load;
    Pieces pieces; ///< of the latest epoch
};

/// @return 0; 1 where it threw
template <class Call> int tried(const char *what, const Call &call) {
    try {
        call();
        return 0;
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "nereus: %s: %s\n", what, problem.what());
    } catch (...) {
        std::fprintf(stderr, "nereus: %s: an exception of a type that is none of the standard library's\n", what);
    }
    return 1;
}

inline int save(nereus_pieces *pieces, void *context) {
    return tried("on_save", [&] {
        Saved &data = *static_cast<Saved *>(context);
        data.pieces = {};
        data.save(data.pieces);
        *pieces = data.pieces.get();
    });
}

inline int load(MPI_Comm comm, const nereus_pieces *pieces, void *context) {
    return tried("on_save", [&] {
        const std::span all(static_cast<const std::byte *>(pieces->bytes),
                            pieces->count > 0 ? static_cast<std::size_t>(pieces->starts[pieces->count]) : 0);
        std::vector<Piece> each;
        for (std::int64_t i = 0; i < pieces->count; ++i) {
            const auto first = static_cast<std::size_t>(pieces->starts[i]);
            each.push_back(all.subspan(first, static_cast<std::size_t>(pieces->starts[i + 1]) - first));
        }
        static_cast<Saved *>(context)->load(comm, each);
    });
}

/// Where it throws for anything but NEREUS_MOVE, the process ends: its data is neither the former nor the new.
inline int move(nereus_redistribution_step step, const nereus_sides *sides, void *context) noexcept {
    const Redistribution &function = *static_cast<Redistribution *>(context);
    if (step == NEREUS_MOVE) return tried("on_resize", [&] { function(step, *sides); });
    function(step, *sides);
    return 0;
}

template <class Functions> std::map<std::string, Functions> &known() {
    static std::map<std::string, Functions> functions;
    return functions;
}

/// @param most  characters of a name
inline void check(int code, const std::string &name, int most) {
    if (code >= 0) return;
    const std::string allowed = "allowed are names of 1 to " + std::to_string(most) + " characters";
    throw Failure(code, "\"" + name + "\": " + (code == NEREUS_ERR_ARGUMENT ? allowed : "there is no memory for it"));
}

}

/// As nereus_on_save(). Throws Failure where the name is not allowed.
inline void on_save(const std::string &name, SavePieces save, LoadPieces load) {
    own_data::Saved &data = own_data::known<own_data::Saved>()[name];
    data = {std::move(save), std::move(load), {}};
    own_data::check(nereus_on_save(name.c_str(), own_data::save, own_data::load, &data), name, NEREUS_MAX_SAVE_NAME);
}

/// As nereus_on_resize(). Throws Failure where the name is not allowed.
inline void on_resize(const std::string &name, Redistribution function) {
    Redistribution &data = own_data::known<Redistribution>()[name];
    data = std::move(function);
    own_data::check(nereus_on_resize(name.c_str(), own_data::move, &data), name, NEREUS_MAX_RESIZE_NAME);
}

}

#endif
