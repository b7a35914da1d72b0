// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/port.hpp"

#include "mpi/bounded_call.hpp"

#include <array>
#include <vector>

namespace nereus::mpi {
namespace {

/// MPI_Open_port has no communicator: its errors go to MPI_COMM_SELF's handler, MPI_COMM_WORLD's before MPI 4, which
/// belong to the application and end the program as a rule.
class ErrorsReturn {
public:
    ErrorsReturn() {
        for (std::size_t i = 0; i < comms_.size(); ++i) {
            MPI_Comm_get_errhandler(comms_[i], &former_[i]);
            MPI_Comm_set_errhandler(comms_[i], MPI_ERRORS_RETURN);
        }
    }
    ErrorsReturn(const ErrorsReturn &) = delete;
    ErrorsReturn &operator=(const ErrorsReturn &) = delete;
    ~ErrorsReturn() {
        for (std::size_t i = 0; i < comms_.size(); ++i) {
            MPI_Comm_set_errhandler(comms_[i], former_[i]);
            MPI_Errhandler_free(&former_[i]);
        }
    }

private:
    std::array<MPI_Comm, 2> comms_{MPI_COMM_SELF, MPI_COMM_WORLD};
    std::array<MPI_Errhandler, 2> former_{};
};

}

Result<Port> Port::open(int place) {
    std::vector<Port> before; // closed again with this call
    for (int i = 0; i < place; ++i) {
        auto port = open_next();
        if (!port) return port;
        before.push_back(std::move(*port));
    }
    return open_next();
}

Result<Port> Port::open_next() {
    const ErrorsReturn guard;
    std::array<char, MPI_MAX_PORT_NAME> name{};
    if (const int code = MPI_Open_port(MPI_INFO_NULL, name.data()); code != MPI_SUCCESS)
        return failed(NEREUS_ERR_UNSUPPORTED,
                      "processes cannot connect by a port with this MPI's present transports: " + sentence(code));
    Port port;
    port.name_ = name.data();
    return port;
}

Port::~Port() {
    if (!name_.empty()) MPI_Close_port(name_.c_str());
}

Result<Comm> accept(const std::string &port, MPI_Comm members) {
    MPI_Comm inter = MPI_COMM_NULL;
    auto done = check(MPI_Comm_accept(port.c_str(), MPI_INFO_NULL, 0, members, &inter), "MPI_Comm_accept");
    if (!done) return tl::unexpected(done.error());
    return Comm(inter);
}

Result<Comm> connect(const std::string &port, MPI_Comm members) {
    MPI_Comm inter = MPI_COMM_NULL;
    auto done = check(MPI_Comm_connect(port.c_str(), MPI_INFO_NULL, 0, members, &inter), "MPI_Comm_connect");
    if (!done) return tl::unexpected(done.error());
    return Comm(inter);
}

Result<Comm> merge(Comm inter, bool high) {
    const BoundedCall bounded("MPI_Intercomm_merge");
    MPI_Comm all = MPI_COMM_NULL;
    auto done = check(MPI_Intercomm_merge(inter.get(), high ? 1 : 0, &all), "MPI_Intercomm_merge");
    if (!done) return tl::unexpected(done.error());
    Comm comm(all);
    inter.disconnect();
    return comm;
}

}
