// SPDX-License-Identifier: BSD-3-Clause
// Compute-bound: pi from the share of random points of the unit square that lie in the quarter circle.
#include <algorithm>

#include "random.hpp"
#include "stage.hpp"

namespace emulator {

namespace {

// More samples would make an operation so long that whole operations could not fill a stage to within a percent.
constexpr std::int64_t most_samples = 4096;

class Pi final : public Stage {
public:
    Pi(std::int64_t samples, std::uint64_t seed) : samples_(std::min(samples, most_samples)), random_(seed) {}

    void run(std::int64_t operations) override {
        std::int64_t hits = 0;
        // A copy of the generator stays in registers; through `this` each number would go to memory and back.
        RandomLanes random = random_;
        for (std::int64_t i = 0; i < operations; ++i) hits += sample(random);
        random_ = random;
        sink_ = hits;
    }

private:
    std::int64_t sample(RandomLanes &random) const {
        constexpr auto lanes = static_cast<std::int64_t>(RandomLanes::lanes);
        std::array<std::int32_t, RandomLanes::lanes> hits{};
        for (std::int64_t done = 0; done + lanes <= samples_; done += lanes) count(random, RandomLanes::lanes, hits);
        count(random, static_cast<std::size_t>(samples_ % lanes), hits);
        std::int64_t sum = 0;
        for (const std::int32_t hit : hits) sum += hit;
        return sum;
    }

    static void count(RandomLanes &random, std::size_t used, std::array<std::int32_t, RandomLanes::lanes> &hits) {
        const RandomLanes::Floats x = random.next();
        const RandomLanes::Floats y = random.next();
        for (std::size_t i = 0; i < used; ++i) hits[i] += static_cast<std::int32_t>(x[i] * x[i] + y[i] * y[i] < 1.0F);
    }

    std::int64_t samples_;
    RandomLanes random_;
    volatile std::int64_t sink_ = 0; // keeps the work from being optimised away
};

std::unique_ptr<Stage> make_pi(const StageSpec &spec, const Team &, Workplace &place) {
    const std::uint64_t seed = stream_seed(place.seed, static_cast<std::uint64_t>(place.rank), place.index);
    return std::make_unique<Pi>(spec.granularity, seed);
}

// What touches memory has other costs with other neighbours and lengths; this does not.
const RegisteredStage pi({"pi", StageKind::compute, make_pi, false});

} // namespace

} // namespace emulator
