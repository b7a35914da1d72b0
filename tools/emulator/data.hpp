// SPDX-License-Identifier: BSD-3-Clause
// The data of the emulated application: one constant and one variable array, cut in blocks over the ranks.
#pragma once

#include <cstdint>

#include <nereus/nereus.h>

#include "failure.hpp"
#include "run.hpp"

namespace emulator {

class Data {
public:
    Data(const Run &run, nereus_job *job);
    Data(const Data &) = delete; // the job knows the addresses of the pointers
    Data &operator=(const Data &) = delete;

    /// Registers the arrays; an array of 0 bytes is none. Collective. @return a code of nereus_array()
    int open();
    void fill();                                   ///< as before the first iteration: for founders
    void change(std::int64_t iteration);           ///< what an iteration does to the variable array
    bool is_intact(std::int64_t iterations) const; ///< this rank's part, after so many iterations

private:
    struct Array {
        const char *name;
        std::int64_t elements;
        nereus_kind kind;
        void *part = nullptr;
    };
    int open(Array &array);

    nereus_job *job_;
    std::uint64_t seed_;
    std::int64_t width_; ///< bytes of an element
    Array constant_, variable_;
};

} // namespace emulator
