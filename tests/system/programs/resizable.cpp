// SPDX-License-Identifier: BSD-3-Clause
// An application that looks at all of its data in each iteration, and tells what happens to it.
//
// resizable FOLDER [RANKS AFTER]
//   iterates until there is a file FOLDER/stop, and adds a JSON object to FOLDER/events for each thing that happens;
//   when there is a file FOLDER/register it registers one more array
//   with RANKS and AFTER it asks for so many processes itself, and closes the job AFTER iterations later
//   with the variable ONE_THREAD it promises MPI that only one thread calls it
#include "faults.hpp"

#include <nereus/nereus.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>

namespace {

constexpr std::int64_t cells = 200'003, shapes = 50'021, copies = 33,
                       marks = 1'009; // enough for MPI's ways with large messages
constexpr std::int64_t asks_at = 10;
constexpr useconds_t microseconds_of_work = 2'000;

struct Plan {
    std::string folder;
    int ranks = 0;
    std::int64_t after = 0;
};

struct Data {
    double *cell = nullptr;
    std::int64_t *shape = nullptr;
    float *copy = nullptr;
    std::int32_t *mark = nullptr; ///< once it is registered
    std::int64_t step = 0;
};

class Application {
public:
    Application(nereus_job *job, const Plan &plan) : job_(job), plan_(plan) {}

    bool enter();
    /// Until it is to end, or this process leaves.
    void iterate();
    bool intact() const { return intact_; }

private:
    int rank() const;
    void say(const char *event, nlohmann::json more) const;
    void fill();
    void work();
    std::int64_t wrong_elements() const;
    bool is_over();
    bool has_file(const char *name) const { return access((plan_.folder + "/" + name).c_str(), F_OK) == 0; }
    bool register_marks();
    void ask();
    void tell_of_undone();

    nereus_job *job_;
    const Plan &plan_;
    Data data_;
    std::uint64_t told_ = 0;
    bool has_marks_ = false;
    bool intact_ = true;
};

int Application::rank() const {
    int number = 0;
    MPI_Comm_rank(nereus_comm(job_), &number);
    return number;
}

void Application::say(const char *event, nlohmann::json more) const {
    if (rank() != 0) return;
    int ranks = 0;
    MPI_Comm_size(nereus_comm(job_), &ranks);
    more.update({{"event", event}, {"ranks", ranks}, {"generation", nereus_generation(job_)}, {"step", data_.step}});
    std::ofstream(plan_.folder + "/events", std::ios::app) << more.dump() + "\n" << std::flush;
}

bool Application::enter() {
    const bool differs = nereus_generation(job_) != 0 && has_file("another-length");
    const int codes[] = {nereus_array(job_, "cells", MPI_DOUBLE, differs ? cells + 1 : cells, NEREUS_BLOCK,
                                      NEREUS_VARIABLE, reinterpret_cast<void **>(&data_.cell)),
                         nereus_array(job_, "shapes", MPI_INT64_T, shapes, NEREUS_BLOCK, NEREUS_CONSTANT,
                                      reinterpret_cast<void **>(&data_.shape)),
                         nereus_array(job_, "copies", MPI_FLOAT, copies, NEREUS_REPLICATED, NEREUS_VARIABLE,
                                      reinterpret_cast<void **>(&data_.copy)),
                         nereus_value(job_, "step", MPI_INT64_T, 1, &data_.step)};
    for (const int code : codes)
        if (code != NEREUS_OK) return false;
    if (nereus_generation(job_) == 0) fill();
    if (nereus_generation(job_) != 0 && has_file("register") && !register_marks()) return false;
    say(nereus_generation(job_) == 0 ? "opened" : "came in", nlohmann::json::object());
    return true;
}

/// Late: all but founders do it with the other arrays.
bool Application::register_marks() {
    has_marks_ = true;
    const int code = nereus_array(job_, "marks", MPI_INT32_T, marks, NEREUS_BLOCK, NEREUS_CONSTANT,
                                  reinterpret_cast<void **>(&data_.mark));
    const std::int64_t first = nereus_first(job_, "marks"), count = nereus_count(job_, "marks");
    for (std::int64_t i = 0; nereus_generation(job_) == 0 && i < count; ++i)
        data_.mark[i] = static_cast<std::int32_t>(7 * (first + i));
    return code == NEREUS_OK;
}

void Application::fill() {
    const std::int64_t first = nereus_first(job_, "cells"), first_shape = nereus_first(job_, "shapes");
    for (std::int64_t i = 0; i < nereus_count(job_, "cells"); ++i) data_.cell[i] = static_cast<double>(first + i);
    for (std::int64_t i = 0; i < nereus_count(job_, "shapes"); ++i) data_.shape[i] = 3 * (first_shape + i);
    for (std::int64_t i = 0; i < copies; ++i) data_.copy[i] = static_cast<float>(i);
}

void Application::work() {
    ++data_.step;
    for (std::int64_t i = 0, count = nereus_count(job_, "cells"); i < count; ++i) data_.cell[i] += 1;
    for (std::int64_t i = 0; i < copies; ++i) data_.copy[i] += 1;
    usleep(microseconds_of_work);
}

std::int64_t Application::wrong_elements() const {
    std::int64_t wrong = 0;
    const std::int64_t first = nereus_first(job_, "cells"), first_shape = nereus_first(job_, "shapes");
    for (std::int64_t i = 0, count = nereus_count(job_, "cells"); i < count; ++i)
        wrong += data_.cell[i] == static_cast<double>(first + i + data_.step) ? 0 : 1;
    for (std::int64_t i = 0, count = nereus_count(job_, "shapes"); i < count; ++i)
        wrong += data_.shape[i] == 3 * (first_shape + i) ? 0 : 1;
    const std::int64_t first_mark = has_marks_ ? nereus_first(job_, "marks") : 0;
    for (std::int64_t i = 0, count = has_marks_ ? nereus_count(job_, "marks") : 0; i < count; ++i)
        wrong += data_.mark[i] == 7 * (first_mark + i) ? 0 : 1;
    for (std::int64_t i = 0; i < copies; ++i) wrong += data_.copy[i] == static_cast<float>(i + data_.step) ? 0 : 1;
    return wrong;
}

/// Looks at the data of all processes, and whether the job is to end.
bool Application::is_over() {
    const bool asked_long_ago = plan_.ranks > 0 && data_.step >= asks_at + plan_.after;
    const std::int64_t mine[] = {wrong_elements(), nereus_count(job_, "cells"),
                                 rank() == 0 && (has_file("stop") || asked_long_ago) ? 1 : 0,
                                 rank() == 0 && has_file("register") ? 1 : 0};
    std::int64_t all[4] = {};
    MPI_Allreduce(mine, all, 4, MPI_INT64_T, MPI_SUM, nereus_comm(job_));
    if (all[0] != 0 || all[1] != cells) {
        intact_ = false;
        say("damaged", {{"wrong", all[0]}, {"cells", all[1]}});
    }
    if (all[3] != 0 && !has_marks_) {
        say("registers", nlohmann::json::object());
        intact_ = register_marks() && intact_;
    }
    return all[2] != 0 || !intact_;
}

void Application::ask() {
    if (plan_.ranks == 0 || data_.step != asks_at || nereus_generation(job_) != 0 || rank() != 0) return;
    const int code = nereus_resize(job_, plan_.ranks, nullptr, nullptr);
    say("asked", {{"code", nereus_code_name(code)}, {"message", nereus_message(job_)}});
}

void Application::tell_of_undone() {
    nereus_resize_report report;
    nereus_last_resize(job_, &report);
    if (report.request == told_) return;
    told_ = report.request;
    if (report.code == NEREUS_RESIZED) return;
    say("undone",
        {{"code", nereus_code_name(report.code)}, {"state", report.state}, {"message", nereus_message(job_)}});
}

void Application::iterate() {
    while (!is_over()) {
        work();
        ask();
        const int code = nereus_checkpoint(job_);
        if (code == NEREUS_LEAVE) return;
        if (code == NEREUS_RESIZED) say("resized", {{"message", nereus_message(job_)}});
        if (code < 0) {
            say("failed", {{"code", nereus_code_name(code)}, {"message", nereus_message(job_)}});
            return;
        }
        tell_of_undone();
    }
    say("closes", {{"intact", intact_}});
}

/// From the open to the close of one job. @return NEREUS_OK, NEREUS_WOKEN, or the error that ended it
int take_part(int argc, char **argv, const Plan &plan) {
    nereus_job *job = nullptr;
    const int opened = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    if (opened == NEREUS_LEAVE) return nereus_close(&job);
    if (opened != NEREUS_OK) return opened;
    Application application(job, plan);
    if (!application.enter()) return NEREUS_ERR_MISMATCH;
    application.iterate();
    const int closed = nereus_close(&job);
    return application.intact() ? closed : NEREUS_ERR_TRANSFER;
}

}

int main(int argc, char **argv) {
    if (argc != 2 && argc != 4) return 2;
    const Plan plan{argv[1], argc == 4 ? std::atoi(argv[2]) : 0, argc == 4 ? std::atoi(argv[3]) : 0};
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, std::getenv("ONE_THREAD") != nullptr ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE,
                    &level);
    faults::begin(plan.folder);
    int code = NEREUS_WOKEN;
    while (code == NEREUS_WOKEN) code = take_part(argc, argv, plan);
    MPI_Finalize();
    return code == NEREUS_OK ? 0 : 1;
}
