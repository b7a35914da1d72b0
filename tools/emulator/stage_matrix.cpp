// SPDX-License-Identifier: BSD-3-Clause
// Memory-bound: the product C = A B of square matrices stored by columns, which streams A once for each column of C.
//
// One operation adds one column of A, times an element of B, to one column of C: a product of 600 x 600 are 360,000
// operations, fine enough to fill any stage. The next call goes on where the last one stopped.
#include <vector>

#include "random.hpp"
#include "stage.hpp"

namespace emulator {

namespace {

class Matrix final : public Stage {
public:
    Matrix(std::size_t rows, std::uint64_t seed) : rows_(rows), a_(rows * rows), b_(rows * rows), c_(rows * rows) {
        fill(a_, seed);
        fill(b_, seed + 1);
    }

    void run(std::int64_t operations) override {
        for (std::int64_t i = 0; i < operations; ++i) {
            add_column();
            advance();
        }
        sink_ = c_[column_ * rows_];
    }

private:
    // Numbers near 1: sums stay far from denormal numbers, which would be slow.
    static void fill(std::vector<double> &matrix, std::uint64_t seed) {
        for (std::size_t i = 0; i < matrix.size(); ++i)
            matrix[i] = 0.5 + static_cast<double>(mix(seed ^ i) >> 11U) * 0x1p-53;
    }

    void add_column() {
        const double factor = b_[column_ * rows_ + inner_];
        const double keep = inner_ == 0 ? 0.0 : 1.0; // a new product begins with a column of zeros
        const double *from = a_.data() + inner_ * rows_;
        double *to = c_.data() + column_ * rows_;
        for (std::size_t row = 0; row < rows_; ++row) to[row] = keep * to[row] + factor * from[row];
    }

    void advance() {
        if (++inner_ < rows_) return;
        inner_ = 0;
        if (++column_ == rows_) column_ = 0;
    }

    std::size_t rows_;
    std::vector<double> a_, b_, c_;
    std::size_t column_ = 0; // of C and B
    std::size_t inner_ = 0;  // column of A, row of B
    volatile double sink_ = 0;
};

std::unique_ptr<Stage> make_matrix(const StageSpec &spec, const Team &, Workplace &place) {
    const std::uint64_t seed = stream_seed(place.seed, static_cast<std::uint64_t>(place.rank), place.index);
    return std::make_unique<Matrix>(static_cast<std::size_t>(spec.granularity), seed);
}

const RegisteredStage matrix({"matrix", StageKind::compute, make_matrix});

} // namespace

} // namespace emulator
