// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/variables.hpp"

#if defined(NEREUS_OPENMPI_INSIDE)

#include "openmpi/variables.h"
#include "pmpi/members.hpp"
#include "pmpi/sensor.hpp"
#include "record/pairs.hpp"
#include "record/prof.hpp"
#include "record/session.hpp"
#include "record/shapes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <vector>

namespace nereus::pmpi {
namespace {

using monitor::Count;
using monitor::Kind;
using monitor::Shape;
using Values = unsigned long long *;

/// Of all generations and phases together, by the rank in the communicator.
std::vector<Count> counts_of(Kind kind, const Members &members) {
    std::map<std::uint64_t, Count> by_peer;
    for (const auto &[pair, count] : monitor::pairs(monitor::totals(record().arena()), record().arena()))
        if (pair.kind == kind) by_peer[pair.peer] += count;
    std::vector<Count> counts;
    for (int rank = 0; rank < members.size(); ++rank) counts.push_back(by_peer[members.peer(rank)]);
    return counts;
}

Count sum_of(Shape shape, const Members &members) {
    const monitor::Sides sides{static_cast<std::size_t>(members.rank()), static_cast<std::size_t>(members.size()),
                               members.has_two_sides()};
    return monitor::sum_of(shape, members.number(), sides, monitor::totals(record().arena()));
}

enum class What { messages, bytes, histogram };

/// What a variable tells; where there is a shape, the sum over collectives of it.
struct Row {
    Kind kind;
    What what;
    std::optional<Shape> shape{};
};

Row row_of(nereus_openmpi_variable which) {
    static const std::map<nereus_openmpi_variable, Row> rows{
        {NEREUS_PML_COUNT, {Kind::point_to_point, What::messages}},
        {NEREUS_PML_SIZE, {Kind::point_to_point, What::bytes}},
        {NEREUS_PML_SIZES, {Kind::point_to_point, What::histogram}},
        {NEREUS_INTERNAL_COUNT, {Kind::decomposed, What::messages}},
        {NEREUS_INTERNAL_SIZE, {Kind::decomposed, What::bytes}},
        {NEREUS_INTERNAL_SIZES, {Kind::decomposed, What::histogram}},
        {NEREUS_OSC_SENT_COUNT, {Kind::put, What::messages}},
        {NEREUS_OSC_SENT_SIZE, {Kind::put, What::bytes}},
        {NEREUS_OSC_RECEIVED_COUNT, {Kind::get, What::messages}},
        {NEREUS_OSC_RECEIVED_SIZE, {Kind::get, What::bytes}},
        {NEREUS_COLL_COUNT, {Kind::collective, What::messages}},
        {NEREUS_COLL_SIZE, {Kind::collective, What::bytes}},
        {NEREUS_O2A_COUNT, {Kind::collective, What::messages, Shape::from_one}},
        {NEREUS_O2A_SIZE, {Kind::collective, What::bytes, Shape::from_one}},
        {NEREUS_A2O_COUNT, {Kind::collective, What::messages, Shape::to_one}},
        {NEREUS_A2O_SIZE, {Kind::collective, What::bytes, Shape::to_one}},
        {NEREUS_A2A_COUNT, {Kind::collective, What::messages, Shape::to_all}},
        {NEREUS_A2A_SIZE, {Kind::collective, What::bytes, Shape::to_all}},
    };
    return rows.at(which);
}

void write(What what, const std::vector<Count> &counts, Values values) {
    for (const Count &count : counts) {
        if (what == What::histogram)
            values = std::copy(count.histogram.begin(), count.histogram.end(), values);
        else
            *values++ = what == What::messages ? count.messages : count.bytes;
    }
}

void read(nereus_openmpi_variable which, MPI_Comm comm, Values values) {
    const Members &members = members_of(Communicator{comm});
    const Row row = row_of(which);
    write(row.what, row.shape ? std::vector{sum_of(*row.shape, members)} : counts_of(row.kind, members), values);
}

bool read_if_recorded(nereus_openmpi_variable which, MPI_Comm comm, Values values) {
    if (has_record()) read(which, comm, values);
    return has_record();
}

/// What the handles of `pml_monitoring_flush` count: they have no object, and Open MPI does not tell them apart.
std::optional<monitor::Session> &flushed() {
    static std::optional<monitor::Session> session;
    return session;
}

void begin_flush() {
    if (!has_record() || flushed()) return;
    flushed().emplace(record().arena());
    flushed()->start();
}

/// Open MPI tells nobody that a handle could not be stopped: what goes wrong stands in the record.
void end_flush(const char *name) {
    if (!has_record() || !flushed()) return;
    const monitor::Totals counted = flushed()->read();
    flushed().reset();
    if (!*name) return;
    const std::string path = std::string(name) + "." + std::to_string(record().arena().head().rank) + ".prof";
    std::ofstream file(path);
    file << monitor::prof_text(counted, record().arena()) << std::flush;
    if (!file) record().unseen(path + " of pml_monitoring_flush", std::strerror(errno));
}

}

void show_variables() {
    static const nereus_openmpi_readers readers{read_if_recorded, begin_flush, end_flush};
    if (!nereus_openmpi_show(&readers))
        record().unseen("variables of MPI_T", "Open MPI's own monitoring is on and has those of these names");
}

void forget_variables() { flushed().reset(); }

}

#else

namespace nereus::pmpi {

void show_variables() {}
void forget_variables() {}

}

#endif
