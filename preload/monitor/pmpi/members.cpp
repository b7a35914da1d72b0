// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/members.hpp"

#include "pmpi/sensor.hpp"
#include "pmpi/worlds.hpp"

#include <atomic>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace nereus::pmpi {
namespace {

std::atomic<std::uint64_t> current_version{1};
std::atomic<std::uint32_t> numbers{0};

/// Numbers of communicators that are being made, by their handles.
struct Begun {
    std::mutex guard;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
};

Begun &begun() {
    static auto *of_this_process = new Begun;
    return *of_this_process;
}

std::uint32_t number_for(Communicator comm) {
    const std::lock_guard lock(begun().guard);
    const auto reserved = begun().numbers.extract(handle_word(comm.handle));
    return reserved ? reserved.mapped() : ++numbers;
}

/// The handles of one type that are known. Each carries an attribute of ours, by which MPI says that it is freed.
template <class Handle> class Known {
public:
    const Members &of(Handle handle) {
        const std::lock_guard lock(guard_);
        auto &members = members_[handle_word(handle.handle)];
        if (!members) {
            members = std::make_unique<Members>(handle);
            watch(handle);
        }
        return *members;
    }
    void forget(Handle handle) {
        const std::lock_guard lock(guard_);
        members_.erase(handle_word(handle.handle));
        new_version();
    }
    void clear() {
        const std::lock_guard lock(guard_);
        members_.clear();
        free_attribute();
        new_version();
    }

private:
    void watch(Handle handle);
    void free_attribute(); ///< a record that is begun later makes its own

    std::mutex guard_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Members>> members_;
    int attribute_ = MPI_KEYVAL_INVALID;
};

Known<Communicator> &communicators() {
    static auto *known = new Known<Communicator>; // MPI may free communicators when destructors have run
    return *known;
}

Known<Window> &windows() {
    static auto *known = new Known<Window>;
    return *known;
}

int communicator_goes(MPI_Comm comm, int, void *, void *) {
    communicators().forget({comm});
    return MPI_SUCCESS;
}

int window_goes(MPI_Win window, int, void *, void *) {
    windows().forget({window});
    return MPI_SUCCESS;
}

template <> void Known<Communicator>::watch(Communicator comm) {
    if (attribute_ == MPI_KEYVAL_INVALID)
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator_goes, &attribute_, nullptr);
    PMPI_Comm_set_attr(comm.handle, attribute_, nullptr);
}

template <> void Known<Window>::watch(Window window) {
    if (attribute_ == MPI_KEYVAL_INVALID)
        PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, window_goes, &attribute_, nullptr);
    PMPI_Win_set_attr(window.handle, attribute_, nullptr);
}

template <> void Known<Communicator>::free_attribute() {
    if (attribute_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&attribute_);
}

template <> void Known<Window>::free_attribute() {
    if (attribute_ != MPI_KEYVAL_INVALID) PMPI_Win_free_keyval(&attribute_);
}

std::vector<int> cart_neighbours(MPI_Comm comm) {
    int dimensions = 0;
    PMPI_Cartdim_get(comm, &dimensions);
    std::vector<int> ranks;
    for (int dimension = 0; dimension < dimensions; ++dimension) {
        int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
        PMPI_Cart_shift(comm, dimension, 1, &below, &above);
        ranks.insert(ranks.end(), {below, above});
    }
    return ranks;
}

std::vector<int> graph_neighbours(MPI_Comm comm, int rank) {
    int number = 0;
    PMPI_Graph_neighbors_count(comm, rank, &number);
    std::vector<int> ranks(number);
    PMPI_Graph_neighbors(comm, rank, number, ranks.data());
    return ranks;
}

std::vector<int> destinations(MPI_Comm comm) {
    int in = 0, out = 0, weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
    std::vector<int> sources(in), source_weights(in), ranks(out), weights(out);
    PMPI_Dist_graph_neighbors(comm, in, sources.data(), source_weights.data(), out, ranks.data(), weights.data());
    return ranks;
}

std::vector<int> neighbours_of(MPI_Comm comm, int rank) {
    int topology = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &topology);
    if (topology == MPI_CART) return cart_neighbours(comm);
    if (topology == MPI_GRAPH) return graph_neighbours(comm, rank);
    if (topology == MPI_DIST_GRAPH) return destinations(comm);
    return {};
}

}

Members::Members(Communicator of) : number_(number_for(of)), comm_(of.handle) {
    int two_sides = 0;
    PMPI_Comm_test_inter(comm_, &two_sides);
    has_two_sides_ = two_sides != 0;
    PMPI_Comm_rank(comm_, &rank_);
    if (has_two_sides_)
        PMPI_Comm_remote_group(comm_, &group_);
    else
        PMPI_Comm_group(comm_, &group_);
    PMPI_Group_size(group_, &size_);
}

Members::Members(Window of) : number_(++numbers) {
    PMPI_Win_get_group(of.handle, &group_);
    PMPI_Group_rank(group_, &rank_);
    PMPI_Group_size(group_, &size_);
}

Members::~Members() {
    int over = 0;
    PMPI_Finalized(&over);
    if (!over && group_ != MPI_GROUP_NULL) PMPI_Group_free(&group_);
}

std::uint64_t Members::peer(int rank) const { return worlds().peer(group_, rank); }

const std::vector<int> &Members::neighbours() const {
    std::call_once(asked_for_neighbours_, [this] { neighbours_ = neighbours_of(comm_, rank_); });
    return neighbours_;
}

std::uint32_t Members::scope() const {
    std::call_once(told_, [this] { tell(); });
    return number_;
}

nlohmann::ordered_json Members::own_side() const {
    MPI_Group own = MPI_GROUP_NULL;
    int size = 0;
    PMPI_Comm_group(comm_, &own);
    PMPI_Group_size(own, &size);
    auto runs = worlds().runs(own, size);
    PMPI_Group_free(&own);
    return runs;
}

void Members::tell() const {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (comm_ != MPI_COMM_NULL) PMPI_Comm_get_name(comm_, name, &length);
    nlohmann::ordered_json line{
        {"event", "communicator"}, {"communicator", number_},     {"name", name},
        {"own_rank", rank_},       {"two_sides", has_two_sides_}, {"members", worlds().runs(group_, size_)}};
    if (has_two_sides_) line["own"] = own_side();
    record().tell(line);
}

void begin_numbered(Communicator comm) {
    const std::lock_guard lock(begun().guard);
    begun().numbers[handle_word(comm.handle)] = ++numbers;
}

void forget_begun(Communicator comm) {
    const std::lock_guard lock(begun().guard);
    begun().numbers.erase(handle_word(comm.handle));
}

const Members &members_of(Communicator comm) { return communicators().of(comm); }
const Members &members_of(Window window) { return windows().of(window); }

std::uint64_t version() { return current_version.load(std::memory_order_relaxed); }
void new_version() { current_version.fetch_add(1, std::memory_order_relaxed); }

void forget_members() {
    communicators().clear();
    windows().clear();
}

}
