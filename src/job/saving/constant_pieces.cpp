// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/constant_pieces.hpp"

#include <algorithm>
#include <iterator>

namespace nereus::job {

bool ConstantPieces::keeps(const JobState &job, std::size_t number) {
    const auto &entries = job.registry.entries();
    return number < entries.size() && entries[number].is.constant && !entries[number].is.value;
}

/// All arrays, since pieces say by number of which array they are.
std::vector<ConstantPieces::Known> ConstantPieces::known_of(const JobState &job) {
    std::vector<Known> known;
    for (const Entry &entry : job.registry.entries())
        known.push_back(entry.is.constant
                            ? Known{entry.is.name, entry.registration, entry.bytes(), entry.borders, entry.is.shape}
                            : Known{entry.is.name, entry.registration, nullptr, {}, {}});
    return known;
}

bool ConstantPieces::are_of(const JobState &job) const {
    return generation_ == job.generation.number && arrays_ == known_of(job);
}

void ConstantPieces::keep(const JobState &job, std::uint64_t epoch, const Pieces &own, const Pieces &copied) {
    const auto constant = [&](const Pieces &all) {
        Pieces kept;
        std::ranges::copy_if(all, std::back_inserter(kept), [&](const epochs::ChunkPiece &piece) {
            return keeps(job, static_cast<std::size_t>(piece.array));
        });
        return kept;
    };
    *this = {};
    generation_ = job.generation.number;
    epoch_ = epoch;
    arrays_ = known_of(job);
    own_ = constant(own);
    copied_ = constant(copied);
}

}
