// SPDX-License-Identifier: BSD-3-Clause
// Each call of the file system in turn fails, or is the last one before the power is cut: every epoch that is found is
// whole, those that were reported as saved are found, and the next one can be saved.
#include "cut_disk.hpp"
#include "epoch_case.hpp"

#include <algorithm>
#include <random>

namespace nereus::epochs {
namespace {

using Numbers = std::vector<std::uint64_t>;
constexpr std::uint64_t epochs_saved = 4;
const Path saved_in = "/scratch/of/the job";

/// @return the epochs that were reported as saved
Numbers save_some(Files &files) {
    Numbers saved;
    SaveFolder folder(files, saved_in);
    if (!folder.prepare()) return saved;
    for (std::uint64_t epoch = 1; epoch <= epochs_saved; ++epoch)
        if (save(folder, epoch, usual_arrays(), 2)) saved.push_back(epoch);
    return saved;
}

void expect_whole_epochs(Files &files, const Numbers &saved, const std::string &when) {
    SaveFolder folder(files, saved_in);
    const Numbers found = folder.epochs().value_or(Numbers{});
    for (const std::uint64_t epoch : found)
        EXPECT_TRUE(read_back(folder, epoch, usual_arrays(), 3).value_or(false)) << when << ", epoch " << epoch;
    const bool has_latest = saved.empty() || std::ranges::binary_search(found, saved.back());
    EXPECT_TRUE(has_latest) << when << ": " << saved.size() << " were saved";
    ASSERT_TRUE(folder.prepare()) << when;
    const std::uint64_t next = found.empty() ? 1 : found.back() + 1;
    EXPECT_TRUE(save(folder, next, usual_arrays(), 1)) << when;
    EXPECT_TRUE(read_back(folder, next, usual_arrays(), 1).value_or(false)) << when;
}

int calls_of_all() {
    CutDisk disk;
    EXPECT_EQ(save_some(disk).size(), epochs_saved);
    return disk.calls();
}

TEST(PowerCut, AtEachCallLeavesWholeEpochs) {
    const int calls = calls_of_all();
    ASSERT_GT(calls, 100);
    for (int at = 0; at < calls; ++at)
        for (unsigned seed = 0; seed < 8; ++seed) { // nothing survives, all does, or some
            CutDisk disk;
            disk.fail(at, CutDisk::Fault::power_is_cut);
            const Numbers saved = save_some(disk);
            ASSERT_TRUE(disk.has_failed());
            std::mt19937 random(seed);
            disk.power_on([&] { return seed == 0 ? false : seed == 1 || random() % 2 == 0; });
            expect_whole_epochs(disk, saved, "cut at call " + std::to_string(at) + ", seed " + std::to_string(seed));
        }
}

TEST(PowerCut, ACallThatFailsOnceCostsAtMostOneEpoch) {
    const int calls = calls_of_all();
    for (int at = 0; at < calls; ++at) {
        CutDisk disk;
        disk.fail(at, CutDisk::Fault::fails_once);
        const Numbers saved = save_some(disk);
        const bool is_prepared = !saved.empty();
        EXPECT_GE(saved.size() + (is_prepared ? 1 : epochs_saved), epochs_saved) << at;
        expect_whole_epochs(disk, saved, "call " + std::to_string(at) + " failed");
    }
}

}
}
