// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: files that tools for Open MPI's own monitoring can read.
#include "a_record.hpp"

#include "record/prof.hpp"

#include <gmock/gmock.h>
#include <sstream>

namespace nereus::monitor {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const Record &record) { return prof_text(totals(record.arena()), record.arena()); }

/// 66 numbers, of which the one at `bin` is `messages`.
std::string sizes(int bin, int messages) {
    std::ostringstream text;
    for (int i = 0; i < 66; ++i) text << (i > 0 ? ',' : '\t') << (i == bin ? messages : 0);
    text << '\n';
    return text.str();
}

TEST(Prof, HasSizesOnceForEachPeer) {
    const auto record = a_record();
    record->here().count(to(1), 8);
    record->here().count(to(1, Kind::decomposed), 8);
    record->here().count(to(2, Kind::decomposed), 0);
    EXPECT_THAT(text_of(*record), HasSubstr("E\t3\t1\t8 bytes\t1 msgs sent" + sizes(4, 2)));
    EXPECT_THAT(text_of(*record), HasSubstr("I\t3\t1\t8 bytes\t1 msgs sent\n"));
    EXPECT_THAT(text_of(*record), HasSubstr("I\t3\t2\t0 bytes\t1 msgs sent" + sizes(0, 1)));
}

TEST(Prof, TellsPutsFromGets) {
    const auto record = a_record();
    record->here().count(to(1, Kind::put), 8);
    record->here().count(to(2, Kind::get), 16);
    EXPECT_THAT(text_of(*record), HasSubstr("# OSC\nS\t3\t1\t8 bytes\t1 msgs sent\nR\t3\t2\t16 bytes\t1 msgs sent\n"));
}

TEST(Prof, HasNoPlaceForOtherWorlds) {
    const auto record = a_record();
    record->here().count(to(std::uint64_t{1} << 32 | 5), 8);
    EXPECT_THAT(text_of(*record), Not(HasSubstr("msgs")));
}

TEST(Prof, TellsCollectivesByTheirShape) {
    const auto record = a_record();
    record->tell({{"event", "communicator"},
                  {"communicator", 4},
                  {"name", ""},
                  {"own_rank", 1},
                  {"two_sides", false},
                  {"members", {{0, 2, 3, 1}}}});
    Address address;
    address.kind = Kind::collective;
    address.call = Call::allreduce;
    address.reach = Reach::all;
    address.scope = 4;
    record->here().count(address, 8);
    EXPECT_THAT(text_of(*record), HasSubstr("# COLLECTIVES\nC\t3\t2\t8 bytes\t1 msgs sent\n"
                                            "C\t3\t4\t8 bytes\t1 msgs sent\n"
                                            "D\t(no-name)\tprocs: 2,3,4\n"
                                            "O2A\t3\t0 bytes\t0 msgs sent\n"
                                            "A2O\t3\t0 bytes\t0 msgs sent\n"
                                            "A2A\t3\t16 bytes\t1 msgs sent\n"));
}

}
}
