// SPDX-License-Identifier: BSD-3-Clause
// The application's arrays: registered, filled so that each element is known by its place, touched, checked.
#pragma once

#include <cstdint>
#include <nereus/nereus.hpp>
#include <vector>

namespace transfers {

/// How much data there is: `arrays` of `bytes` in all, `constant_percent` of the bytes constant.
struct Amount {
    std::int64_t bytes = 0;
    int arrays = 1;
    double constant_percent = 100;
};

struct ArraySize {
    std::int64_t elements = 0; ///< of 8 bytes
    nereus_kind kind = NEREUS_CONSTANT;
};

/// The arrays of an amount; both kinds have at least one where they have bytes. Pure.
std::vector<ArraySize> sizes_of(const Amount &amount);

class Data {
public:
    /// Collective. Founders fill the arrays.
    Data(nereus::Job &job, const Amount &amount);

    /// Reads the next piece of this process' part, and writes variable elements back as they are.
    void touch_some();

    /// The same with the whole part.
    void touch_all();

    /// How many elements are wrong, of some in each part or of `all`.
    std::int64_t wrong(bool all) const;

private:
    struct One {
        nereus::Array<std::uint64_t> part;
        nereus_kind kind;
        std::uint64_t number;
    };

    void fill();
    static void touch(const One &one, std::int64_t first, std::int64_t end);

    std::vector<One> arrays_;
    std::int64_t turn_ = 0; ///< which piece touch_some() takes
};

}
