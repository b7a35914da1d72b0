// SPDX-License-Identifier: BSD-3-Clause
// A user whose data is a list of words would lose it when the job is saved and continued, or get it in another order.
//
//     own_pieces_test first|next    begins anew, or continues; saves and stops
//     own_pieces_test first|next on=HOSTS [lost=HOSTS]
//         keeps an epoch in memory of hosts, and ends (pretended_hosts.hpp)
//     own_pieces_test refuses_save|wrong_starts|other_names|moves_only
//         asks for an epoch that cannot be; the job goes on
//     own_pieces_test refuses_load|other_name
//         continues in vain: exit code 1
#include "expect.hpp"
#include "pretended_hosts.hpp"

#include <nereus/save.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

using namespace testing_mpi;

namespace {

constexpr int words = 57;

/// Some words are empty. They grow with the iterations of the job.
std::string word(int number, std::int64_t iteration) {
    return std::string(static_cast<std::size_t>(number % 5), 'a') +
           (number % 5 == 0 ? "" : std::to_string(number + 1000 * iteration));
}

struct Words {
    std::string mode;
    std::vector<std::string> mine;
    std::vector<std::int64_t> starts;
    std::string bytes;
    int loads = 0;

    void fill(int rank, int size) {
        for (int i = words * rank / size; i < words * (rank + 1) / size; ++i) mine.push_back(word(i, 0));
    }

    int hand_out(nereus_pieces &pieces) {
        if (mode == "refuses_save") return 3;
        starts.assign(1, 0);
        bytes.clear();
        for (const std::string &each : mine) {
            bytes += each;
            starts.push_back(static_cast<std::int64_t>(bytes.size()));
        }
        if (mode == "wrong_starts") starts[1] = 1'000'000;
        pieces = {std::ssize(mine), starts.data(), bytes.data()};
        return 0;
    }

    int take(MPI_Comm comm, const nereus_pieces &pieces) {
        ++loads;
        if (mode == "refuses_load") return rank_in(comm) == 1 ? 5 : 0;
        mine.clear();
        const char *const all = static_cast<const char *>(pieces.bytes);
        for (std::int64_t i = 0; i < pieces.count; ++i)
            mine.emplace_back(all + pieces.starts[i], all + pieces.starts[i + 1]);
        return 0;
    }

    /// All words of all processes, in the order of the ranks.
    void check(MPI_Comm comm, std::int64_t iteration) const {
        int before = 0, own = static_cast<int>(mine.size());
        MPI_Exscan(&own, &before, 1, MPI_INT, MPI_SUM, comm);
        if (rank_in(comm) == 0) before = 0;
        for (int i = 0; i < own; ++i)
            expect(mine[static_cast<std::size_t>(i)] == word(before + i, iteration), "words have their order");
        int sum = 0;
        MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, comm);
        expect(sum == words, "no word is lost");
    }

    void advance(MPI_Comm comm, std::int64_t iteration) {
        int before = 0, number = static_cast<int>(mine.size());
        MPI_Exscan(&number, &before, 1, MPI_INT, MPI_SUM, comm);
        if (rank_in(comm) == 0) before = 0;
        for (std::string &each : mine) each = word(before++, iteration);
    }
};

int hand_out(nereus_pieces *pieces, void *context) { return static_cast<Words *>(context)->hand_out(*pieces); }

int take(MPI_Comm comm, const nereus_pieces *pieces, void *context) {
    return static_cast<Words *>(context)->take(comm, *pieces);
}

int move_nothing(enum nereus_redistribution_step, const nereus_sides *, void *) { return 0; }

void name_functions(Words &data) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const bool differs = data.mode == "other_name" || (data.mode == "other_names" && rank == 1);
    expect(nereus_on_save("", hand_out, take, &data) == NEREUS_ERR_ARGUMENT, "a name is needed");
    expect(nereus_on_save(std::string(57, 'x').c_str(), hand_out, take, &data) == NEREUS_ERR_ARGUMENT,
           "names are short");
    expect(nereus_on_save("words", nullptr, take, &data) == NEREUS_ERR_ARGUMENT, "a function is needed");
    expect(nereus_on_save(differs ? "others" : "words", hand_out, take, &data) == NEREUS_OK, "functions are noted");
    if (data.mode == "moves_only") expect(nereus_on_resize("tree", move_nothing, nullptr) == NEREUS_OK, "it moves");
}

bool can_be_saved(const Words &data) { return data.mode == "first" || data.mode == "next"; }

/// The last thing that changes anything is before the epoch.
void keep_on_hosts(nereus_job *job, Words &data, std::int64_t &iteration) {
    const int before = newest_epoch_of_host();
    for (int i = 0; i < 50; ++i) {
        if (i == 10 && rank_in(nereus_comm(job)) == 0)
            expect(nereus_protect_now(job, nullptr) == NEREUS_OK, nereus_message(job));
        if (i < 10) data.advance(nereus_comm(job), ++iteration);
        expect(nereus_checkpoint(job) == NEREUS_GO_ON, nereus_message(job));
    }
    const int made = nereus_generation(job) > 0 ? 2 : 1; // one that continues makes one at once
    expect(newest_epoch_of_host() == before + made, "there is an epoch in memory");
}

/// Until the job stops, or has gone on without an epoch.
void iterate(nereus_job *job, Words &data, std::int64_t &iteration) {
    for (int i = 0; i < 100; ++i) {
        if (rank_in(nereus_comm(job)) == 0 && i == 10) {
            const int code = nereus_save(job, 1, nullptr);
            expect((code == NEREUS_OK) == (data.mode != "moves_only"), nereus_message(job));
            if (data.mode == "moves_only")
                expect(std::strstr(nereus_message(job), "\"tree\"") != nullptr, nereus_message(job));
        }
        data.advance(nereus_comm(job), ++iteration);
        const int code = nereus_checkpoint(job);
        expect(code == NEREUS_GO_ON || (code == NEREUS_LEAVE && can_be_saved(data)), nereus_message(job));
        if (code == NEREUS_LEAVE) return;
    }
    expect(!can_be_saved(data), "the job stops once its epoch is saved");
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const bool on_hosts = pretend_hosts(argc, argv);
    Words data;
    data.mode = argv[1];
    name_functions(data);
    nereus_job *job = nullptr;
    const int code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    if (code != NEREUS_OK) {
        expect(data.mode == "refuses_load" || data.mode == "other_name", "the job opens");
        expect(code == (data.mode == "refuses_load" ? NEREUS_ERR_TRANSFER : NEREUS_ERR_MISMATCH), "the code says why");
        MPI_Finalize();
        return 1;
    }
    std::int64_t iteration = 0;
    expect(nereus_value(job, "iteration", MPI_INT64_T, 1, &iteration) == NEREUS_OK, nereus_message(job));
    expect(data.loads == (nereus_generation(job) > 0 ? 1 : 0), "only who continues takes pieces");
    if (nereus_generation(job) == 0) data.fill(rank_in(nereus_comm(job)), size_of(nereus_comm(job)));
    data.check(nereus_comm(job), iteration);
    on_hosts ? keep_on_hosts(job, data, iteration) : iterate(job, data, iteration);
    expect(nereus_close(&job) == NEREUS_OK, "it closes");
    MPI_Finalize();
}
