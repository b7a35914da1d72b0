// SPDX-License-Identifier: BSD-3-Clause
// The one error type inside the library: a code of the public enum and a sentence for people.
#pragma once

#include <nereus/errors.h>

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace nereus {

struct Error {
    nereus_code code;
    std::string what;
};

template <class T> using Result = tl::expected<T, Error>;
using Done = Result<void>;

inline tl::unexpected<Error> failed(nereus_code code, std::string what) {
    return tl::unexpected<Error>(Error{code, std::move(what)});
}

}
