// SPDX-License-Identifier: BSD-3-Clause
// A user would lose data if a real job, resized in some way from some size to another, brought a byte of some array to
// the wrong place, at once or many resizes later.
//
// job_matrix_test SEED CASES         a job that is resized CASES times at random, in random ways
// job_matrix_test round WAY DISTANCE a job that goes in one way, numbered from 0, from each size to that which is
//                                    DISTANCE, 1 .. 6, further in the ring of sizes; begins on 1 rank
// job_matrix_test refused            ways that no MPI can carry are refused with a sentence, and the job goes on
// Which arrays there are follows from SEED, or WAY and
// DISTANCE. All bytes are looked at in each iteration, also while data moves.
#include "job_matrix_case.hpp"
#include "stays.hpp"

using namespace testing_mpi;

namespace {

struct Story {
    std::vector<JobResize> walk;
    std::vector<KnownArray> arrays;
    bool refused = false;
};

/// @param founders  processes that the job began with, the same for founders and newcomers
Story story_of(int argc, char **argv, int founders) {
    const std::string first = argc > 1 ? argv[1] : "";
    if (first == "refused") return {{{resize_ways(false).front(), founders + 1}}, set_of_arrays(0), true};
    expect(argc > 2, "arguments are SEED CASES, round WAY DISTANCE, or refused");
    if (first != "round") {
        const std::uint64_t seed = std::stoull(first);
        return {random_walk(seed, std::stoul(argv[2]), founders), set_of_arrays(seed)};
    }
    expect(argc > 3 && founders == 1, "round takes WAY and DISTANCE, and begins on 1 rank");
    const std::size_t number = std::stoul(argv[2]), distance = std::stoul(argv[3]);
    const std::vector<ResizeWay> ways = resize_ways(false);
    expect(number < ways.size() && distance > 0 && distance < std::size(job_sizes), "there is such a round");
    return {round_of_sizes(ways[number], distance), set_of_arrays(number * (std::size(job_sizes) - 1) + distance)};
}

class Player {
public:
    Player(nereus_job *job, const Story &story, KnownData &data) : job_(job), story_(story), data_(data) {}

    /// @return whether this process left the job
    bool iterate() {
        while (generation() < story_.walk.size()) {
            if (story_.refused && rank_in(nereus_comm(job_)) == 0) expect_refusals();
            ask();
            data_.advance(job_);
            data_.check(job_, text() + ", before it"); // constant data may be on its way
            const int code = nereus_checkpoint(job_);
            if (code == NEREUS_LEAVE) return true;
            expect(code == NEREUS_GO_ON || code == NEREUS_RESIZED, nereus_message(job_));
            if (code == NEREUS_RESIZED)
                check_resized();
            else
                expect_none_undone();
        }
        return false;
    }

private:
    std::size_t generation() const { return static_cast<std::size_t>(nereus_generation(job_)); }
    std::string text() const {
        if (generation() == story_.walk.size()) return "the end";
        const JobResize &next = story_.walk[generation()];
        return "resize " + std::to_string(generation()) + " to " + std::to_string(next.ranks) + ", " + next.way.text();
    }

    /// Once in each generation.
    void ask() {
        if (asked_ == nereus_generation(job_) || rank_in(nereus_comm(job_)) != 0) return;
        asked_ = nereus_generation(job_);
        const JobResize &next = story_.walk[generation()];
        std::printf("%s\n", text().c_str()), std::fflush(stdout);
        const nereus_resize_options options = next.way.options(job_);
        expect(nereus_resize(job_, next.ranks, &options, nullptr) == NEREUS_OK, nereus_message(job_));
    }

    void check_resized() {
        const JobResize &done = story_.walk[generation() - 1];
        nereus_resize_report report;
        expect(nereus_last_resize(job_, &report) == NEREUS_OK && report.code == NEREUS_RESIZED, "there is a report");
        expect(size_of(nereus_comm(job_)) == done.ranks && report.to == done.ranks, "the job has the size asked for");
        expect(report.process_method == done.way.process && report.transfer_method == done.way.transfer &&
                   report.transfer_strategy == done.way.strategy,
               "the report tells of the way that was asked for");
        data_.check(job_, "after " + done.way.text());
    }

    void expect_none_undone() {
        nereus_resize_report report;
        nereus_last_resize(job_, &report);
        expect(report.code == NEREUS_RESIZED || report.request == 0, nereus_message(job_));
    }

    void expect_refusals() {
        for (const ResizeWay &way : resize_ways(true)) {
            const nereus_resize_options options = way.options(job_);
            expect(nereus_resize(job_, 3, &options, nullptr) == NEREUS_ERR_UNSUPPORTED, way.text().c_str());
            expect(std::string(nereus_message(job_)).find(" does not go with ") != std::string::npos,
                   nereus_message(job_));
        }
        void *data = nullptr;
        const auto none = static_cast<enum nereus_layout>(7);
        expect(nereus_array(job_, "cut by none", MPI_CHAR, 1, none, NEREUS_CONSTANT, &data) == NEREUS_ERR_ARGUMENT &&
                   std::string(nereus_message(job_)) == "layout = 7: there is none",
               nereus_message(job_));
    }

    nereus_job *job_;
    const Story &story_;
    KnownData &data_;
    std::int64_t asked_ = -1; ///< generation in which this process asked
};

/// From the open to the close of one job. @return NEREUS_OK, or NEREUS_WOKEN to do it again
int take_part(int argc, char **argv) {
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    std::int64_t founders = size_of(nereus_comm(job));
    // Comes with the job: the MPI_COMM_WORLD of newcomers has another size.
    expect(nereus_value(job, "founders", MPI_INT64_T, 1, &founders) == NEREUS_OK, nereus_message(job));
    const Story story = story_of(argc, argv, static_cast<int>(founders));
    KnownData data(story.arrays);
    data.enter(job);
    data.check(job, "on entry");
    const bool left = Player(job, story, data).iterate();
    const int code = nereus_close(&job);
    expect(code == NEREUS_OK || (left && code == NEREUS_WOKEN), "the job closes");
    return code;
}

}

int main(int argc, char **argv) { return testing_mpi::stay_until_unwanted(argc, argv, take_part); }
