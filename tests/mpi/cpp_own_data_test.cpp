// SPDX-License-Identifier: BSD-3-Clause
// A user of C++ whose data is a list of words has it on all processes after a resize, and in the job that continues.
// A function that throws undoes a resize, and an epoch; the job goes on.
//
//     cpp_own_data_test first|next RANKS    begins anew, or continues; is resized, saves and stops
#include "expect.hpp"

#include <nereus/own_data.hpp>

#include <string>

using namespace testing_mpi;

namespace {

constexpr int words = 57;

std::string word(int number) { return std::string(static_cast<std::size_t>(number % 5), 'a') + std::to_string(number); }

/// Words of all processes, one after the other, with a blank after each.
std::string all_of(MPI_Comm comm, const std::vector<std::string> &mine) {
    std::string own;
    for (const std::string &each : mine) own += each + ' ';
    std::vector<int> counts(static_cast<std::size_t>(size_of(comm)));
    const int count = static_cast<int>(own.size());
    MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
    std::vector<int> starts(counts.size() + 1, 0);
    for (std::size_t rank = 0; rank < counts.size(); ++rank) starts[rank + 1] = starts[rank] + counts[rank];
    std::string all(static_cast<std::size_t>(starts.back()), '\0');
    MPI_Allgatherv(own.data(), count, MPI_CHAR, all.data(), counts.data(), starts.data(), MPI_CHAR, comm);
    return all;
}

struct Words {
    std::vector<std::string> mine, next;
    int loads = 0, throws = 0; ///< throws: left

    void fill(int rank, int size, std::vector<std::string> &part) const {
        for (int i = words * rank / size; i < words * (rank + 1) / size; ++i) part.push_back(word(i));
    }

    void throw_some() {
        if (throws > 0 && throws-- > 0) throw std::runtime_error("not now");
    }

    void save(nereus::Pieces &pieces) {
        throw_some();
        for (const std::string &each : mine) pieces.add(std::as_bytes(std::span(each)));
    }

    void load(std::span<const nereus::Piece> pieces) {
        ++loads;
        mine.clear();
        for (const nereus::Piece piece : pieces)
            mine.emplace_back(reinterpret_cast<const char *>(piece.data()), piece.size());
    }

    void redistribute(nereus_redistribution_step step, const nereus_sides &sides) {
        if (step == NEREUS_MOVE) {
            const std::string all = all_of(sides.comm, sides.source < 0 ? std::vector<std::string>() : mine);
            for (int i = 0; i < words; ++i) expect(all.find(word(i) + ' ') != std::string::npos, "each word comes");
            if (sides.drain >= 0) fill(sides.drain, sides.drains, next);
            throw_some();
        } else if (step == NEREUS_ADOPT) {
            mine = std::move(next);
        }
        if (step != NEREUS_MOVE) next.clear();
    }

    void check(const nereus::Job &job) const {
        std::string wanted;
        for (int i = 0; i < words; ++i) wanted += word(i) + ' ';
        expect(all_of(job.comm(), mine) == wanted, "all words are there, in order");
    }
};

int code_of(const std::function<void()> &call) {
    try {
        call();
    } catch (const nereus::Failure &failure) {
        return failure.code();
    }
    return NEREUS_OK;
}

void name_functions(Words &data) {
    const auto save = [&data](nereus::Pieces &pieces) { data.save(pieces); };
    const auto load = [&data](MPI_Comm, std::span<const nereus::Piece> pieces) { data.load(pieces); };
    const auto move = [&data](nereus_redistribution_step step, const nereus_sides &sides) {
        data.redistribute(step, sides);
    };
    expect(code_of([&] { nereus::on_save("", save, load); }) == NEREUS_ERR_ARGUMENT, "a name is needed");
    expect(code_of([&] { nereus::on_resize("", move); }) == NEREUS_ERR_ARGUMENT, "a name is needed");
    nereus::on_save("words", save, load);
    nereus::on_resize("words", move);
}

bool is_newcomer() {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

/// Rank 0's requests, each after the one before has ended: two resizes and two epochs, of which its own function
/// refuses the first ones.
struct Requests {
    nereus::Job &job;
    Words &data;
    int size;
    enum { resizes, resizes_again, saves, saves_again, done } next = resizes;

    void resize() {
        job.resize(size);
        next = next == resizes ? resizes_again : saves;
    }

    void save() {
        job.save(true);
        next = next == saves ? saves_again : done;
    }

    void go_on() {
        const nereus_resize_report report = job.last_resize();
        if (next == resizes) {
            data.throws = 1;
            resize();
        } else if (next == resizes_again && report.code == NEREUS_ERR_TRANSFER) {
            expect(std::string(report.reason).find("refused with 1") != std::string::npos, report.reason);
            resize();
        } else if (next == saves && report.code == NEREUS_RESIZED) {
            data.throws = 1;
            save();
        } else if (next == saves_again && data.throws == 0) {
            save();
        }
    }
};

}

int main(int argc, char **argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    const bool continues = std::string(argv[1]) == "next" && !is_newcomer();
    Words data;
    name_functions(data);
    nereus::run(MPI_COMM_WORLD, argc, argv, [&](nereus::Job &job) {
        expect(data.loads == (continues ? 1 : 0), "only who continues takes pieces");
        if (job.generation() == 0) data.fill(job.rank(), job.size(), data.mine);
        data.check(job);
        const bool root = job.rank() == 0;
        Requests requests{job, data, std::atoi(argv[2])};
        for (nereus::Outcome outcome = nereus::Outcome::go_on; outcome != nereus::Outcome::leave;) {
            if (root) requests.go_on();
            outcome = job.checkpoint();
            if (outcome != nereus::Outcome::leave) data.check(job);
        }
        expect(!root || requests.next == Requests::done, "all was done before the job stopped");
    });
    MPI_Finalize();
}
