// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/windows.hpp"

#include "mpi/bounded_call.hpp"
#include "mpi/check.hpp"
#include "transfer/agreement.hpp"

#include <algorithm>
#include <utility>

namespace nereus::transfer {
namespace {

struct Kept {
    MPI_Comm comm;
    Exposed array;
    MPI_Win window;
};

/// Bytes in a second: where a network pins the memory of a window, that takes its time.
constexpr double slowest_pinning = 50e6;

/// Whether what a process wrote to its memory since is seen by readers without a call of its own (MPI 4.0, section
/// 12.4): with the separate model a window is good for one transfer.
bool shows_what_is_written(MPI_Win window) {
    int *model = nullptr, known = 0;
    MPI_Win_get_attr(window, MPI_WIN_MODEL, static_cast<void *>(&model), &known);
    return known != 0 && *model == MPI_WIN_UNIFIED;
}

Result<MPI_Win> make(MPI_Comm comm, const Exposed &array) {
    const mpi::BoundedCall bounded("MPI_Win_create", static_cast<double>(array.bytes) / slowest_pinning);
    MPI_Win window = MPI_WIN_NULL;
    void *part = const_cast<std::byte *>(array.part); // it is only read
    auto done = mpi::check(MPI_Win_create(array.bytes > 0 ? part : nullptr, static_cast<MPI_Aint>(array.bytes), 1,
                                          MPI_INFO_NULL, comm, &window),
                           "MPI_Win_create");
    if (!done) return tl::unexpected(done.error());
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    return window;
}

void free_window(Kept &kept) {
    const mpi::BoundedCall bounded("MPI_Win_free", static_cast<double>(kept.array.bytes) / slowest_pinning);
    MPI_Win_free(&kept.window);
}

}

struct Windows::Store {
    std::vector<Kept> kept;

    auto find(MPI_Comm comm, const std::string &name) {
        return std::find_if(kept.begin(), kept.end(),
                            [&](const Kept &one) { return one.comm == comm && one.array.name == name; });
    }

    bool fits(MPI_Comm comm, const Exposed &array) {
        const auto one = find(comm, array.name);
        if (one == kept.end() || !shows_what_is_written(one->window)) return false;
        return array.bytes == 0 || (one->array.part == array.part && one->array.bytes >= array.bytes);
    }

    /// Collective.
    Result<MPI_Win> renew(MPI_Comm comm, const Exposed &array) {
        if (const auto old = find(comm, array.name); old != kept.end()) {
            free_window(*old);
            kept.erase(old);
        }
        auto window = make(comm, array);
        if (window) kept.push_back({comm, array, *window});
        return window;
    }
};

Windows::Windows() : store_(std::make_shared<Store>()) {}

Result<std::vector<MPI_Win>> Windows::open(MPI_Comm comm, const std::vector<Exposed> &arrays,
                                           const Deadline &deadline) {
    std::vector<int> fit;
    for (const Exposed &array : arrays) fit.push_back(store_->fits(comm, array) ? 1 : 0);
    auto fits_all = agree_to_enter(comm, std::move(fit), deadline);
    if (!fits_all) return tl::unexpected(fits_all.error());
    std::vector<MPI_Win> windows;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
        const bool again = (*fits_all)[i] != 0;
        auto window =
            again ? Result<MPI_Win>(store_->find(comm, arrays[i].name)->window) : store_->renew(comm, arrays[i]);
        if (!window) return tl::unexpected(window.error());
        windows.push_back(*window);
    }
    return windows;
}

void Windows::reset() {
    for (Kept &one : store_->kept) free_window(one);
    store_->kept.clear();
}

/// A thread that was given up may still add windows to the store that is left.
void Windows::abandon() { store_ = std::make_shared<Store>(); }

}
