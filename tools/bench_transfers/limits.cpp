// SPDX-License-Identifier: BSD-3-Clause
#include "limits.hpp"

#include "base/cores.hpp"
#include "plan/survivors.hpp"
#include "tools/common/clock.hpp"
#include "tools/common/lines.hpp"
#include "tools/common/program.hpp"
#include "trials.hpp"
#include "work.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>
#include <vector>

namespace transfers {
namespace {

namespace plan = nereus::plan;
using plan::Range;

constexpr int tries = 3;
/// Copies of more than this take as long for each byte.
constexpr std::size_t most_copied = std::size_t{256} << 20;
constexpr std::size_t least_copied = std::size_t{1} << 20;
constexpr double giga = 1e9;

struct World {
    int rank = 0;
    int size = 0;
};

World world() {
    World all;
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all.size);
    return all;
}

/// Fresh pages that go with it; huge ones where the system has some, as the library asks for, too.
class Pages {
public:
    explicit Pages(std::size_t bytes) : bytes_(std::max<std::size_t>(bytes, 1)) {
        void *place = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        place_ = place == MAP_FAILED ? nullptr : static_cast<char *>(place);
        if (!place_) throw std::bad_alloc();
        madvise(place_, bytes_, MADV_HUGEPAGE);
    }
    Pages(const Pages &) = delete;
    Pages &operator=(const Pages &) = delete;
    ~Pages() { munmap(place_, bytes_); }

    char *data() const { return place_; }
    void touch(char value) const { std::memset(place_, value, bytes_); }

private:
    std::size_t bytes_;
    char *place_ = nullptr;
};

/// Waits for all without taking a core from those that are measured.
void wait_for_all() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), !done;) usleep(500);
}

/// The median time of `work` on the ranks that take part, the slowest of them each time; `prepare` is not timed, and
/// one more try, the first, does not count: its memory may be slow to come.
double seconds_of(bool takes_part, const std::function<void()> &prepare, const std::function<void()> &work) {
    std::vector<double> times;
    for (int i = 0; i <= tries; ++i) {
        if (takes_part) prepare();
        wait_for_all();
        const double start = common::now();
        if (takes_part) work();
        double mine = takes_part ? common::now() - start : 0, slowest = 0;
        wait_for_all();
        MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        if (i > 0) times.push_back(slowest);
    }
    return common::median(times);
}

void nothing() {}

/// `ranks` processes copy at once.
double copy_rate(std::size_t bytes, int ranks) {
    const bool takes_part = world().rank < ranks;
    const Pages from(takes_part ? bytes : 1), to(takes_part ? bytes : 1);
    from.touch(1);
    to.touch(2);
    const double seconds = seconds_of(takes_part, nothing, [&] { std::memcpy(to.data(), from.data(), bytes); });
    return static_cast<double>(bytes) * ranks / seconds / giga;
}

double first_touch_rate(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::unique_ptr<Pages> fresh;
    const auto prepare = [&] { fresh = std::make_unique<Pages>(bytes); };
    const auto touch = [&] {
        volatile char *place = fresh->data();
        for (std::size_t i = 0; i < bytes; i += page) place[i] = 1;
    };
    return static_cast<double>(bytes) / seconds_of(world().rank == 0, prepare, touch) / giga;
}

/// Rank 1 reads rank 0's memory; null where the system does not allow it.
nlohmann::json read_rate(std::size_t bytes) {
    const bool takes_part = world().rank < 2;
    const Pages mine(takes_part ? bytes : 1);
    mine.touch(1);
    std::array<std::uint64_t, 2> where{static_cast<std::uint64_t>(getpid()),
                                       static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(mine.data()))};
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    MPI_Bcast(where.data(), 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    int works = 1;
    const double seconds = seconds_of(world().rank == 1, nothing, [&] {
        for (std::size_t done = 0; done < bytes;) {
            const iovec to{mine.data() + done, bytes - done};
            const iovec from{reinterpret_cast<void *>(where[1] + done), bytes - done};
            const ssize_t read = process_vm_readv(static_cast<pid_t>(where[0]), &to, 1, &from, 1, 0);
            if (read <= 0) works = 0;
            if (read <= 0) break;
            done += static_cast<std::size_t>(read);
        }
    });
    MPI_Allreduce(MPI_IN_PLACE, &works, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return works ? nlohmann::json(static_cast<double>(bytes) / seconds / giga) : nlohmann::json();
}

/// The messages by which Merge moves one array, between other pages each time.
class Messages {
public:
    Messages(std::int64_t elements, int from, int to)
        : array_{plan::Distribution(plan::Layout::block, elements, from),
                 plan::Distribution(plan::Layout::block, elements, to), 8},
          sizes_{from, to, false, kept_of(array_)}, old_(old_part_of(world().rank)), new_(new_part_of(world().rank)),
          sent_(bytes(old_)) {
        sent_.touch(1);
    }

    void prepare() { received_ = std::make_unique<Pages>(bytes(new_)); }

    void post(std::vector<MPI_Request> &requests) const {
        for (int other = 0; other < world().size; ++other) {
            if (other == world().rank) continue;
            for_each_message(overlap(old_part_of(other), new_), [&](Range in, int count) {
                MPI_Irecv(received_->data() + 8 * (in.first - new_.first), count, MPI_UINT64_T, other, 0,
                          MPI_COMM_WORLD, &requests.emplace_back());
            });
            for_each_message(overlap(old_, new_part_of(other)), [&](Range out, int count) {
                MPI_Isend(sent_.data() + 8 * (out.first - old_.first), count, MPI_UINT64_T, other, 0, MPI_COMM_WORLD,
                          &requests.emplace_back());
            });
        }
    }

    /// Bytes that this rank sends to others.
    std::int64_t moved() const { return 8 * (old_.count() - overlap(old_, new_).count()); }

private:
    static std::vector<int> kept_of(const plan::LocalSizes &array) {
        const std::vector<plan::World> one_world(static_cast<std::size_t>(array.before.ranks()), 0);
        return choose_survivors(array.before.ranks(), array.after.ranks(), {array}, plan::Survivors::least_movement,
                                one_world)
            .kept;
    }

    Range old_part_of(int process) const {
        return process < sizes_.sources ? array_.before.range_of(process) : Range{};
    }
    Range new_part_of(int process) const {
        const int drain = process < sizes_.sources ? sizes_.drain_of(process).value_or(sizes_.drains)
                                                   : sizes_.drain_of_newcomer(process - sizes_.sources);
        return drain < sizes_.drains ? array_.after.range_of(drain) : Range{};
    }

    static std::size_t bytes(Range range) { return static_cast<std::size_t>(range.count()) * 8; }
    /// One for all, but where its count would not fit into MPI's.
    template <class Post> static void for_each_message(Range range, Post post) {
        constexpr std::int64_t most = std::numeric_limits<int>::max();
        for (std::int64_t first = range.first; first < range.end; first += most) {
            const std::int64_t end = std::min(range.end, first + most);
            post({first, end}, static_cast<int>(end - first));
        }
    }

    plan::LocalSizes array_;
    plan::Sizes sizes_;
    Range old_, new_;
    Pages sent_;
    std::unique_ptr<Pages> received_;
};

/// Null where nothing moves.
nlohmann::json message_rate(int from, int to, const Amount &amount) {
    std::vector<std::unique_ptr<Messages>> arrays;
    for (const ArraySize &size : sizes_of(amount))
        arrays.push_back(std::make_unique<Messages>(size.elements, from, to));
    std::int64_t mine = 0, moved = 0;
    for (const auto &each : arrays) mine += each->moved();
    MPI_Allreduce(&mine, &moved, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    const auto prepare = [&] {
        for (const auto &each : arrays) each->prepare();
    };
    const auto exchange = [&] {
        std::vector<MPI_Request> requests;
        for (const auto &each : arrays) each->post(requests);
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    };
    const double seconds = seconds_of(true, prepare, exchange);
    return moved > 0 ? nlohmann::json(static_cast<double>(moved) / seconds / giga) : nlohmann::json();
}

}

int measure_limits(int from, int to, const Amount &amount) {
    const World all = world();
    if (all.size < std::max({from, to, 2}))
        return common::refused(program,
                               "--limits: needs as many processes as --from and --to, and 2 or more; there are " +
                                   std::to_string(all.size));
    const std::size_t bytes = std::clamp(static_cast<std::size_t>(amount.bytes), least_copied, most_copied);
    nlohmann::json limits;
    limits["memcpy_one_core"] = copy_rate(bytes, 1);
    limits["memcpy_all_cores"] = copy_rate(bytes, std::min(nereus::usable_cores(), all.size));
    limits["process_vm_readv"] = read_rate(bytes);
    limits["isend_irecv"] = message_rate(from, to, amount);
    limits["first_touch"] = first_touch_rate(bytes);
    if (all.rank == 0) common::print({{"limits", limits}});
    return 0;
}

}
