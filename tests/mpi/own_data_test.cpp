// SPDX-License-Identifier: BSD-3-Clause
// A user who has data that is no array would lose it in a resize, or have it twice where the resize was rolled back.
//
// own_data_test [refuses|differs] SIZE...
//   refuses: at first the last source refuses each resize once; differs: newcomers name their data otherwise
#include "expect.hpp"

#include <nereus/nereus.h>

#include <cctype>
#include <list>
#include <string>
#include <vector>

using namespace testing_mpi;

namespace {

constexpr int words = 57;

/// A list of words of all lengths; process r of n has those whose number mod n is r.
struct Words {
    std::list<std::string> present, next;
    int refusals = 0; ///< left
    int moved = 0, adopted = 0, dropped = 0;

    static std::string word(int number) {
        return std::string(static_cast<std::size_t>(number % 11), 'a') + std::to_string(number);
    }

    void fill(int rank, int size) {
        for (int i = rank; i < words; i += size) present.push_back(word(i));
    }

    void check(MPI_Comm comm) const {
        Words wanted;
        wanted.fill(rank_in(comm), size_of(comm));
        expect(present == wanted.present, "the words of this process are there, in order");
        expect(next.empty(), "no second list is kept");
    }
};

/// Word `number` from the source that has it to the drain that gets it.
void move_one(const nereus_sides &sides, int number, Words &mine, std::list<std::string>::const_iterator &at) {
    const int from = number % sides.sources, to = sides.drain_ranks[number % sides.drains];
    const int rank = rank_in(sides.comm);
    MPI_Request request = MPI_REQUEST_NULL;
    std::string sent;
    if (rank == from) {
        expect(from == sides.source, "source s is rank s");
        sent = *at++;
        MPI_Isend(sent.data(), static_cast<int>(sent.size()), MPI_CHAR, to, number, sides.comm, &request);
    }
    if (rank == to) {
        expect(sides.drain == number % sides.drains, "drains know their numbers");
        std::vector<char> came(64);
        MPI_Status status;
        int length = 0;
        MPI_Recv(came.data(), static_cast<int>(came.size()), MPI_CHAR, from, number, sides.comm, &status);
        MPI_Get_count(&status, MPI_CHAR, &length);
        mine.next.emplace_back(came.data(), static_cast<std::size_t>(length));
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int redistribute(nereus_redistribution_step step, const nereus_sides *sides, void *context) {
    Words &mine = *static_cast<Words *>(context);
    if (step == NEREUS_MOVE) {
        ++mine.moved;
        auto at = mine.present.cbegin();
        for (int number = 0; number < words; ++number) move_one(*sides, number, mine, at);
        return sides->source == sides->sources - 1 && mine.refusals-- > 0 ? 7 : 0;
    }
    if (step == NEREUS_ADOPT) {
        ++mine.adopted;
        mine.present = std::move(mine.next);
    } else {
        ++mine.dropped;
    }
    mine.next.clear();
    return 0;
}

struct Scene {
    nereus_job *job = nullptr;
    std::vector<int> sizes;
    bool refuses = false, differs = false;
};

void expect_undone(Scene &s, const nereus_resize_report &report, const Words &mine) {
    const std::string reason = report.reason;
    if (s.refuses) {
        expect(report.code == NEREUS_ERR_TRANSFER && reason.find("refused with 7") != std::string::npos, report.reason);
        expect(mine.moved == 1 && mine.dropped == 1 && mine.adopted == 0, "what was made is dropped");
    } else {
        expect(s.differs && report.code == NEREUS_ERR_MISMATCH, report.reason);
        expect(reason.find("\"words\"") != std::string::npos && reason.find("\"others\"") != std::string::npos,
               report.reason);
        expect(mine.moved == 0 && mine.dropped == 0, "nothing was moved");
    }
    mine.check(nereus_comm(s.job));
}

/// @return whether this process stays to the end
bool iterate(Scene &s, const Words &mine) {
    std::uint64_t settled = 0;
    std::int64_t asked = -1;
    while (nereus_generation(s.job) < std::ssize(s.sizes)) {
        const std::int64_t generation = nereus_generation(s.job);
        if (asked != generation && rank_in(nereus_comm(s.job)) == 0)
            expect(nereus_resize(s.job, s.sizes[static_cast<std::size_t>(generation)], nullptr, nullptr) >= 0,
                   nereus_message(s.job));
        asked = generation;
        const int code = nereus_checkpoint(s.job);
        if (code == NEREUS_LEAVE) return false;
        expect(code >= 0, nereus_message(s.job));
        nereus_resize_report report;
        nereus_last_resize(s.job, &report);
        if (code == NEREUS_RESIZED) mine.check(nereus_comm(s.job));
        if (report.request == settled || report.code == NEREUS_RESIZED) continue;
        settled = report.request;
        expect_undone(s, report, mine);
        if (s.differs) return true;
        asked = -1;
    }
    expect(mine.adopted > 0, "what was moved is kept");
    return true;
}

bool is_newcomer() {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

int take_part(int argc, char **argv) {
    Scene s;
    Words mine;
    const std::string what = argv[1];
    s.refuses = what == "refuses";
    s.differs = what == "differs";
    for (int i = 1; i < argc; ++i)
        if (std::isdigit(argv[i][0]) != 0) s.sizes.push_back(std::atoi(argv[i]));
    mine.refusals = s.refuses && !is_newcomer() ? 1 : 0;
    expect(nereus_on_resize(nullptr, redistribute, &mine) == NEREUS_ERR_ARGUMENT, "a name is needed");
    expect(nereus_on_resize("words", nullptr, &mine) == NEREUS_ERR_ARGUMENT, "a function is needed");
    expect(nereus_on_resize(s.differs && is_newcomer() ? "others" : "words", redistribute, &mine) == NEREUS_OK,
           "a function is taken");
    const int opened = nereus_open(MPI_COMM_WORLD, argc, argv, &s.job);
    expect(opened == NEREUS_OK || (opened == NEREUS_LEAVE && (s.refuses || s.differs)), "the job opens");
    if (opened == NEREUS_OK) {
        if (nereus_generation(s.job) == 0) mine.fill(rank_in(nereus_comm(s.job)), size_of(nereus_comm(s.job)));
        mine.check(nereus_comm(s.job));
        iterate(s, mine);
    }
    return nereus_close(&s.job);
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int code = NEREUS_WOKEN;
    while (code == NEREUS_WOKEN) code = take_part(argc, argv);
    expect(code == NEREUS_OK, "the job closes");
    MPI_Finalize();
    return 0;
}
