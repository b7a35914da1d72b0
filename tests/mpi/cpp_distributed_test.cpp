// SPDX-License-Identifier: BSD-3-Clause
// Arrays get other distributions in C++: those of a job, also while it is resized, and others, where a wrong part of
// one process keeps nobody waiting.
#include "expect.hpp"

#include <nereus/distributed.hpp>

#include <array>
#include <vector>

using namespace testing_mpi;

namespace {

constexpr std::int64_t elements = 42;
constexpr std::array<std::int32_t, 2> weights{3, 1};

nereus_distribution of_layout(enum nereus_layout layout) {
    nereus_distribution distribution{};
    distribution.layout = layout;
    distribution.block = 4;
    if (layout == NEREUS_WEIGHTED) {
        distribution.weights = weights.data();
        distribution.weight_count = weights.size();
    }
    if (layout == NEREUS_GRID) {
        distribution.rows = 6;
        distribution.columns = 7;
        distribution.block_rows = distribution.block_columns = 2;
    }
    return distribution;
}

constexpr std::array layouts{NEREUS_CYCLIC, NEREUS_GRID, NEREUS_WEIGHTED, NEREUS_BLOCK, NEREUS_REPLICATED};

int code_of(auto &&call, const std::string &says) {
    try {
        call();
    } catch (const nereus::Failure &failure) {
        expect(std::string(failure.what()).find(says) != std::string::npos, failure.what());
        return failure.code();
    }
    return NEREUS_OK;
}

/// What the first half of the processes has, the last one first; each element is its number.
class Side {
public:
    explicit Side(enum nereus_layout layout)
        : layout_(of_layout(layout)), rank_(rank_in(MPI_COMM_WORLD)), processes_((size_of(MPI_COMM_WORLD) + 1) / 2) {
        for (int rank = processes_; rank > 0; --rank) ranks_.push_back(rank - 1);
    }

    nereus_distributed get() const { return {&layout_, processes_, ranks_.data()}; }

    std::vector<double> part() const {
        if (rank_ >= processes_) return {};
        const int own = processes_ - 1 - rank_;
        std::vector<double> part(
            static_cast<std::size_t>(nereus_distributed_count(&layout_, elements, processes_, own)));
        for (std::int64_t element = 0; element < elements; ++element) {
            int number = 0;
            const std::int64_t index = nereus_distributed_locate(&layout_, elements, processes_, element, &number);
            if (number == own || layout_.layout == NEREUS_REPLICATED)
                part[static_cast<std::size_t>(index)] = static_cast<double>(element);
        }
        return part;
    }

private:
    nereus_distribution layout_;
    int rank_, processes_;
    std::vector<int> ranks_;
};

void redistribute() {
    for (const auto one : layouts)
        for (const auto other : layouts) {
            const Side from(one), to(other);
            const std::vector<double> wanted = to.part();
            std::vector<double> part(wanted.size(), -1);
            nereus::redistribute<double>(MPI_COMM_WORLD, elements, from.get(), from.part(), to.get(), part);
            expect(part == wanted, "each element is where it belongs");
        }
}

void transpose() {
    nereus_distribution before = of_layout(NEREUS_GRID), after = before;
    std::swap(after.rows, after.columns);
    after.grid_rows = 1;
    const int size = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
    const nereus_distributed from{&before, size, nullptr}, to{&after, size, nullptr};
    const auto part_of = [&](const nereus_distribution &matrix, auto number_of) {
        std::vector<double> part(static_cast<std::size_t>(nereus_distributed_count(&matrix, elements, size, rank)));
        for (std::int64_t element = 0; element < elements; ++element) {
            int owner = 0;
            const std::int64_t index = nereus_distributed_locate(&matrix, elements, size, element, &owner);
            if (owner == rank) part[static_cast<std::size_t>(index)] = static_cast<double>(number_of(element));
        }
        return part;
    };
    const std::vector<double> old_part = part_of(before, [](std::int64_t element) { return element; });
    const std::vector<double> wanted =
        part_of(after, [](std::int64_t element) { return element % 6 * 7 + element / 6; });
    std::vector<double> new_part(wanted.size(), -1);
    nereus::transpose<double>(MPI_COMM_WORLD, from, old_part, to, new_part);
    expect(new_part == wanted, "each element is where it belongs");
    std::vector<double> too_long(wanted.size() + (rank == 0 ? 1 : 0));
    const std::string says = rank == 0 ? "new_part has" : "see stderr";
    expect(code_of([&] { nereus::transpose<double>(MPI_COMM_WORLD, from, old_part, to, too_long); }, says) ==
               NEREUS_ERR_ARGUMENT,
           "a part that is too long is one for all");
}

void wrong_parts() {
    const Side block(NEREUS_BLOCK), cyclic(NEREUS_CYCLIC);
    const std::vector<double> part = block.part();
    for (const bool is_old : {true, false})
        for (const int difference : {-1, 1}) {
            std::vector<double> before = part, after(cyclic.part().size(), -1);
            const bool is_wrong = rank_in(MPI_COMM_WORLD) == 0;
            std::vector<double> &wrong = is_old ? before : after;
            if (is_wrong) wrong.resize(wrong.size() + static_cast<std::size_t>(difference));
            const auto call = [&] {
                nereus::redistribute<double>(MPI_COMM_WORLD, elements, block.get(), before, cyclic.get(), after);
            };
            const std::string says = !is_wrong ? "see stderr" : is_old ? "old_part has" : "new_part has";
            expect(code_of(call, says) == NEREUS_ERR_ARGUMENT, "all are refused");
            expect(after.empty() || after[0] < 0, "nothing was moved");
        }
    std::vector<double> after;
    const auto call = [&] {
        nereus::redistribute<double>(MPI_COMM_NULL, elements, block.get(), part, cyclic.get(), after);
    };
    expect(code_of(call, "see stderr") == NEREUS_ERR_ARGUMENT, "a communicator is needed");
}

void check(const nereus::Job &job, const nereus::Array<double> &array) {
    for (std::int64_t element = 0; element < elements; ++element) {
        int rank = 0;
        const std::int64_t index = nereus_locate(job.get(), "x", element, &rank);
        if (rank == job.rank()) expect(array[index] == static_cast<double>(element), "each element is its number");
    }
}

/// Newcomers register it as a block, and get what it is then.
void change(nereus::Job &job) {
    auto array = job.array<double>("x", elements, NEREUS_BLOCK, NEREUS_VARIABLE);
    std::int64_t step = 0;
    job.value("step", step);
    if (job.generation() == 0)
        for (double &each : array) each = static_cast<double>(array.first() + (&each - array.begin()));
    constexpr std::array sizes{3, 1, 2};
    while (step < 8 || job.generation() < std::ssize(sizes)) {
        check(job, array);
        const auto layout = layouts[static_cast<std::size_t>(step % 4)];
        expect(job.change_distribution(array, of_layout(layout)) == NEREUS_OK, "it gets another one");
        expect(job.change_distribution(array, of_layout(layout)) == NEREUS_UNCHANGED, "it has it already");
        expect(job.distribution(array).layout == layout, "the job knows it");
        check(job, array);
        if (job.rank() == 0 && job.generation() < std::ssize(sizes))
            job.resize(sizes[static_cast<std::size_t>(job.generation())]);
        ++step;
        if (job.checkpoint() == nereus::Outcome::leave) return;
    }
    expect(job.generation() == 3 && job.size() == 2, "it was resized");
    nereus_distribution wrong = of_layout(NEREUS_CYCLIC);
    if (job.rank() == 1) wrong.block = 0;
    expect(code_of([&] { job.change_distribution(array, wrong); }, "block = 0") == NEREUS_ERR_ARGUMENT,
           "what one is refused, all are");
    check(job, array);
}

}

int main(int argc, char **argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (std::string(argv[1]) == "job") {
        nereus::run(MPI_COMM_WORLD, argc, argv, change);
    } else {
        redistribute();
        transpose();
        wrong_parts();
    }
    MPI_Finalize();
    return 0;
}
