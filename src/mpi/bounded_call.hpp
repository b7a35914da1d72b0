// SPDX-License-Identifier: BSD-3-Clause
// A collective call with processes that may die in it. MPI cannot be asked to leave such a call (MPI 4.1, section 2.8):
// where it does not return in time this process says so and ends, and with it the job (decision 0023).
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace nereus::mpi {

/// Of this process, for all such calls. Without it they may take any time.
void bound_calls(double seconds);

/// Lives around one call, or several in a row.
class BoundedCall {
public:
    /// @param more  seconds that it may take beyond the bound
    explicit BoundedCall(std::string what, double more = 0);
    BoundedCall(const BoundedCall &) = delete;
    BoundedCall &operator=(const BoundedCall &) = delete;
    ~BoundedCall();

private:
    void watch();

    std::string what_;
    double seconds_;
    std::mutex mutex_;
    std::condition_variable returned_;
    bool is_over_ = false;
    std::thread watcher_; ///< none where there is no bound; makes no MPI call
};

}
