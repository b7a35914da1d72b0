// SPDX-License-Identifier: BSD-3-Clause
// A user whose arrays fill half of the memory would lose the job in a resize if a process took more than its old part,
// its new part and the setting transfer-memory.
//
// job_memory_test METHOD, on 2 ranks, memory private; METHOD is p2p, col, or rma-lockall. The job is resized to 3 and
// back, blocking and with wait-drains: first with arrays of a few bytes, which tells what MPI takes for itself, then
// with large ones. Needs 1 GB of memory.
#include "job_matrix_case.hpp"
#include "stays.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>

using namespace testing_mpi;

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t transfer_memory = 64 * mebibyte; // the default
// A third of these travels from one process to one other: twice what may be under way at a time.
constexpr std::int64_t constant_bytes = 288 * mebibyte, variable_bytes = 96 * mebibyte;
constexpr std::int64_t extent = sizeof(std::int64_t);

const std::map<std::string, enum nereus_transfer_method> methods{
    {"p2p", NEREUS_P2P}, {"col", NEREUS_COL}, {"rma-lockall", NEREUS_RMA_LOCKALL}};

struct Planned {
    enum nereus_transfer_strategy strategy;
    int ranks;
    bool large;
};
constexpr Planned walk[] = {{NEREUS_BLOCKING, 3, false},    {NEREUS_BLOCKING, 2, false},
                            {NEREUS_WAIT_DRAINS, 3, false}, {NEREUS_WAIT_DRAINS, 2, false},
                            {NEREUS_BLOCKING, 3, true},     {NEREUS_BLOCKING, 2, true},
                            {NEREUS_WAIT_DRAINS, 3, true},  {NEREUS_WAIT_DRAINS, 2, true}};
constexpr std::int64_t first_large = 4; ///< generation in which the large arrays are registered

constexpr std::int64_t most_of_mpi = 64 * mebibyte; ///< else what a transfer takes would be hidden in it

/// From now on the peak is counted anew (proc(5)).
bool reset_peak() {
    std::ofstream file("/proc/self/clear_refs");
    file << "5" << std::flush;
    return file.good();
}

/// Most memory that this process had since then, or since it began.
std::int64_t peak() {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name;
        std::int64_t kilobytes = 0;
        if (words >> name >> kilobytes && name == "VmHWM:") return kilobytes * 1024;
    }
    return 0;
}

/// An array of numbers that are known.
struct Numbers {
    const char *name;
    std::int64_t elements;
    enum nereus_kind kind;
    std::int64_t *part = nullptr;

    void enter(nereus_job *job) {
        expect(nereus_array(job, name, MPI_INT64_T, elements, NEREUS_BLOCK, kind, reinterpret_cast<void **>(&part)) ==
                   NEREUS_OK,
               nereus_message(job));
    }
    static std::int64_t content(std::int64_t element) { return element * 31 + 1; }
    void fill(nereus_job *job) {
        const std::int64_t first = nereus_first(job, name), count = nereus_count(job, name);
        for (std::int64_t i = 0; i < count; ++i) part[i] = content(first + i);
    }
    bool is_right(nereus_job *job) const {
        const std::int64_t first = nereus_first(job, name), count = nereus_count(job, name);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < count; ++i) wrong += part[i] == content(first + i) ? 0 : 1;
        return wrong == 0;
    }
};

class Player {
public:
    Player(nereus_job *job, enum nereus_transfer_method method) : job_(job), method_(method) {
        const std::int64_t generation = nereus_generation(job_);
        expect(nereus_value(job_, "base", MPI_INT64_T, 1, &base_) == NEREUS_OK, nereus_message(job_));
        enter(few_);
        if (generation > first_large) enter(large_);
        if (generation > 0) resized();
    }

    /// @return whether this process left the job
    bool play() {
        while (static_cast<std::size_t>(nereus_generation(job_)) < std::size(walk)) {
            if (nereus_generation(job_) == first_large) enter(large_);
            if (leaves()) return true;
            resized();
        }
        return false;
    }

private:
    using Arrays = std::vector<Numbers>;

    void enter(Arrays &arrays) {
        const bool anew = !joins();
        for (Numbers &array : arrays) {
            array.enter(job_);
            if (anew) array.fill(job_);
            registered_.push_back(&array);
        }
    }
    /// Newcomers find their data.
    bool joins() const { return nereus_generation(job_) > 0 && nereus_generation(job_) != first_large; }

    std::int64_t bytes() const {
        std::int64_t sum = 0;
        for (const Numbers *array : registered_) sum += nereus_count(job_, array->name) * extent;
        return sum;
    }

    const Planned &next() const { return walk[nereus_generation(job_)]; }

    /// One resize. @return whether this process is not needed any more
    bool leaves() {
        before_ = bytes();
        expect(reset_peak(), "the peak is counted anew");
        if (rank_in(nereus_comm(job_)) == 0) ask();
        while (true) {
            const int code = nereus_checkpoint(job_);
            if (code == NEREUS_LEAVE) expect_bound(0);
            if (code != NEREUS_GO_ON) return code == NEREUS_LEAVE;
            nereus_resize_report report;
            nereus_last_resize(job_, &report);
            expect(report.code == NEREUS_RESIZED || report.request == 0, nereus_message(job_));
        }
    }

    void ask() {
        nereus_resize_options options = ResizeWay{NEREUS_MERGE, method_, next().strategy}.options(job_);
        expect(nereus_resize(job_, next().ranks, &options, nullptr) == NEREUS_OK, nereus_message(job_));
    }

    void resized() {
        const bool large = walk[nereus_generation(job_) - 1].large;
        if (large)
            expect_bound(bytes());
        else
            learn();
        for (const Numbers *array : registered_) expect(array->is_right(job_), "all numbers are right");
    }

    /// What a process has without data, all parties of a resize included.
    void learn() {
        const std::int64_t mine = std::max(base_, peak());
        MPI_Allreduce(&mine, &base_, 1, MPI_INT64_T, MPI_MAX, nereus_comm(job_));
        expect(base_ > 0 && base_ <= most_of_mpi, "a resize of a few bytes takes little memory");
    }

    void expect_bound(std::int64_t after) const {
        const std::int64_t most = base_ + before_ + after + transfer_memory, was = peak();
        const auto in_mebibytes = [](std::int64_t number) { return std::to_string(number / mebibyte); };
        const std::string figures = "MiB: peak " + in_mebibytes(was) + ", MPI " + in_mebibytes(base_) + ", old part " +
                                    in_mebibytes(before_) + ", new part " + in_mebibytes(after);
        std::printf("%s\n", figures.c_str());
        // What stays is there once only: its pages move.
        expect(was >= std::max(before_, after), ("the larger part is in memory; " + figures).c_str());
        expect(was <= most, ("no more memory is taken than the parts and transfer-memory; " + figures).c_str());
    }

    nereus_job *job_;
    enum nereus_transfer_method method_;
    std::int64_t base_ = 0, before_ = 0;
    Arrays few_{{"few constant", 7, NEREUS_CONSTANT}, {"few variable", 5, NEREUS_VARIABLE}};
    Arrays large_{{"constant", constant_bytes / extent, NEREUS_CONSTANT},
                  {"variable", variable_bytes / extent, NEREUS_VARIABLE}};
    std::vector<Numbers *> registered_;
};

/// From the open to the close of one job. @return NEREUS_OK, or NEREUS_WOKEN to do it again
int take_part(int argc, char **argv) {
    expect(argc > 1 && methods.contains(argv[1]), "the argument is METHOD");
    if (!reset_peak()) skip("this system does not count the peak of memory anew"); // who is woken had data before
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    Player player(job, methods.at(argv[1]));
    const bool left = player.play();
    const int code = nereus_close(&job);
    expect(code == NEREUS_OK || (left && code == NEREUS_WOKEN), "the job closes");
    return code;
}

}

int main(int argc, char **argv) { return testing_mpi::stay_until_unwanted(argc, argv, take_part); }
