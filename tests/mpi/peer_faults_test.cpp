// SPDX-License-Identifier: BSD-3-Clause
// A user would lose what users of another library for malleability lost: each case is a fault that was found there.
//
// peer_faults_test CASE
//   what_stays_in_elements   its own part was copied as so many bytes as it has elements
//   without_callbacks        processes without a function of the application to call waited for those that had one
//   copies_only              with nothing but replicated data the counts of the others were freed unset
//   windows_then_messages    a window that was freed was used again by a later resize with another method
//   many_arrays              the 101st array was written behind the table of arrays
//   ports_are_closed         every resize opened a port and none closed it; needs --nereus-process-strategies=single
// Places beyond 2^31 elements, which were kept in an int: job_large_test, transfer_large_test, type_test.
#include "job_matrix_case.hpp"

#include <functional>
#include <map>

using namespace testing_mpi;

namespace {

int ports_open = 0, ports_opened = 0;

constexpr ResizeWay way(enum nereus_process_method process, enum nereus_transfer_method transfer,
                        enum nereus_transfer_strategy strategy = NEREUS_BLOCKING) {
    return {process, transfer, strategy};
}

struct Scene {
    std::vector<KnownArray> arrays;
    std::vector<JobResize> walk;
    std::function<void(bool root)> at_the_end = [](bool) {};
};

Scene what_stays_in_elements() {
    Scene scene;
    for (const std::int64_t extent : {3, 8, 24})
        for (const Way cut : {Way::block, Way::weighted, Way::cyclic_in_fives, Way::grid})
            scene.arrays.push_back({cut, extent, 23, 29, NEREUS_VARIABLE});
    scene.walk = {{way(NEREUS_MERGE, NEREUS_P2P), 3}, {way(NEREUS_MERGE, NEREUS_COL), 2}};
    return scene;
}

Scene without_callbacks() {
    Scene scene;
    scene.arrays = {{Way::block, 8, 1009, 1, NEREUS_CONSTANT}};
    for (const auto process : {NEREUS_MERGE, NEREUS_BASELINE_INTER, NEREUS_BASELINE_INTRA})
        for (const int ranks : {3, 2}) scene.walk.push_back({way(process, NEREUS_P2P, NEREUS_WAIT_DRAINS), ranks});
    return scene;
}

Scene copies_only() {
    Scene scene;
    scene.arrays = {{Way::replicated, 3, 33, 1, NEREUS_CONSTANT}, {Way::replicated, 24, 101, 1, NEREUS_VARIABLE}};
    for (const auto transfer : {NEREUS_P2P, NEREUS_COL})
        for (const int ranks : {4, 2}) scene.walk.push_back({way(NEREUS_MERGE, transfer), ranks});
    scene.walk.push_back({way(NEREUS_BASELINE_INTER, NEREUS_COL), 1});
    scene.walk.push_back({way(NEREUS_BASELINE_INTRA, NEREUS_P2P, NEREUS_WAIT_DRAINS), 3});
    return scene;
}

Scene windows_then_messages() {
    Scene scene;
    scene.arrays = {{Way::block, 8, 1009, 1, NEREUS_CONSTANT}, {Way::cyclic, 3, 1009, 1, NEREUS_VARIABLE}};
    for (const auto &[transfer, ranks] : {std::pair{NEREUS_RMA_LOCKALL, 3},
                                          {NEREUS_COL, 2},
                                          {NEREUS_RMA_LOCK, 4},
                                          {NEREUS_P2P, 3},
                                          {NEREUS_RMA_LOCKALL, 2}})
        scene.walk.push_back({way(NEREUS_MERGE, transfer), ranks});
    return scene;
}

Scene many_arrays() {
    constexpr int more_than_a_hundred = 131;
    Scene scene;
    for (int i = 0; i < more_than_a_hundred; ++i)
        scene.arrays.push_back({static_cast<Way>(i % ways_to_cut), i % 2 == 0 ? 8 : 3, 5, 7,
                                i % 3 == 0 ? NEREUS_CONSTANT : NEREUS_VARIABLE});
    scene.walk = {{way(NEREUS_MERGE, NEREUS_P2P), 4}, {way(NEREUS_BASELINE_INTRA, NEREUS_COL), 3}};
    return scene;
}

Scene ports_are_closed() {
    Scene scene;
    scene.arrays = {{Way::block, 8, 1009, 1, NEREUS_VARIABLE}};
    for (const int ranks : {3, 2, 4, 5}) scene.walk.push_back({way(NEREUS_MERGE, NEREUS_P2P), ranks});
    scene.at_the_end = [](bool root) {
        expect(!root || ports_opened > 1, "growing took ports");
        expect(ports_open == 0, "every port that was opened is closed");
    };
    return scene;
}

const std::map<std::string, Scene (*)()> scenes{{"what_stays_in_elements", what_stays_in_elements},
                                                {"without_callbacks", without_callbacks},
                                                {"copies_only", copies_only},
                                                {"windows_then_messages", windows_then_messages},
                                                {"many_arrays", many_arrays},
                                                {"ports_are_closed", ports_are_closed}};

/// @return whether this process left the job
bool play(nereus_job *job, const Scene &scene, KnownData &data) {
    std::int64_t asked = -1;
    while (static_cast<std::size_t>(nereus_generation(job)) < scene.walk.size()) {
        const JobResize &next = scene.walk[static_cast<std::size_t>(nereus_generation(job))];
        if (rank_in(nereus_comm(job)) == 0 && asked != nereus_generation(job)) {
            asked = nereus_generation(job);
            const nereus_resize_options options = next.way.options(job);
            expect(nereus_resize(job, next.ranks, &options, nullptr) == NEREUS_OK, nereus_message(job));
        }
        data.advance(job);
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return true;
        nereus_resize_report report;
        expect(nereus_last_resize(job, &report) == NEREUS_OK, "there is a report");
        expect(report.request == 0 || report.code == NEREUS_RESIZED, nereus_message(job));
        if (code == NEREUS_RESIZED) data.check(job, "after " + next.way.text());
    }
    return false;
}

/// From the open to the close of one job. @return NEREUS_OK, or NEREUS_WOKEN to do it again
int take_part(int argc, char **argv) {
    const Scene scene = scenes.at(argv[1])();
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    KnownData data(scene.arrays);
    data.enter(job);
    data.check(job, "on entry");
    const bool left = play(job, scene, data);
    const bool root = !left && rank_in(nereus_comm(job)) == 0;
    const int code = nereus_close(&job);
    expect(code == NEREUS_OK || (left && code == NEREUS_WOKEN), "the job closes");
    scene.at_the_end(root);
    return code;
}

}

// MPI's profiling interface (MPI 4.1, section 15.2): the library's calls come by here.
extern "C" {

int MPI_Open_port(MPI_Info info, char *name) {
    const int code = PMPI_Open_port(info, name);
    if (code == MPI_SUCCESS) ++ports_open, ++ports_opened;
    return code;
}

int MPI_Close_port(const char *name) {
    --ports_open;
    return PMPI_Close_port(name);
}
}

int main(int argc, char **argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    expect(argc > 1 && scenes.contains(argv[1]), "argument: a case");
    while (take_part(argc, argv) == NEREUS_WOKEN) continue;
    MPI_Finalize();
    return 0;
}
