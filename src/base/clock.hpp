// SPDX-License-Identifier: BSD-3-Clause
// Time of this process: monotonic seconds, and how long something is waited for.
#pragma once

#include "base/error.hpp"

#include <chrono>
#include <functional>
#include <limits>
#include <optional>

namespace nereus {

inline double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Seconds since 1970 by the clock of this host.
inline double unix_now() {
    return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Looks whether something happened because of which waiting is in vain.
using News = std::function<std::optional<Error>()>;

/// A point in time until which is waited, or until bad news come.
class Deadline {
public:
    static Deadline in(double seconds, News news = {}) { return {now() + seconds, std::move(news)}; }
    static Deadline never() { return in(std::numeric_limits<double>::infinity()); }

    /// Why `what` is waited for no longer; nothing while it is.
    std::optional<Error> over(const char *what) const {
        if (news_)
            if (auto bad = news_()) return bad;
        if (now() <= end_) return std::nullopt;
        return Error{NEREUS_ERR_TIMEOUT, std::string(what) + " was not done in time"};
    }

private:
    Deadline(double end, News news) : end_(end), news_(std::move(news)) {}
    double end_;
    News news_;
};

class Stopwatch {
public:
    double seconds() const { return now() - start_; }

private:
    double start_ = now();
};

}
