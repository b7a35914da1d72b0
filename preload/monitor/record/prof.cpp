// SPDX-License-Identifier: BSD-3-Clause
#include "record/prof.hpp"

#include "record/communicators.hpp"
#include "record/pairs.hpp"
#include "record/shapes.hpp"

#include <sstream>

namespace nereus::monitor {
namespace {

constexpr int sizes = 66; ///< numbers in a line; the last is of sizes that no process has

using ByRank = std::map<std::uint64_t, Count>;

std::map<Kind, ByRank> in_own_world(const Totals &totals, const Arena &arena) {
    std::map<Kind, ByRank> found;
    for (const auto &[pair, count] : pairs(totals, arena))
        if (pair.peer >> 32 == 0) found[pair.kind][pair.peer] += count;
    return found;
}

class Prof {
public:
    explicit Prof(const Arena &arena) : rank_(arena.head().rank) {}
    std::string text() const { return text_.str(); }

    void title(const char *text) { text_ << "# " << text << '\n'; }
    void to_each(const char *letter, const ByRank &counts) {
        for (const auto &[rank, count] : counts) {
            to(letter, rank, count);
            text_ << '\n';
        }
    }
    /// Sizes stand once for a peer: with what the program sent, if that is anything.
    void sent(const ByRank &by_program, const ByRank &by_library) {
        for (const auto &[rank, count] : by_program) {
            Count all = count;
            if (by_library.contains(rank)) all += by_library.at(rank);
            to("E", rank, count);
            histogram(all);
        }
        for (const auto &[rank, count] : by_library) {
            to("I", rank, count);
            if (by_program.contains(rank))
                text_ << '\n';
            else
                histogram(count);
        }
    }
    void communicator(std::uint32_t number, const Communicator &of, const Totals &totals) {
        text_ << "D\t" << (of.name.empty() ? "(no-name)" : of.name) << "\tprocs: ";
        for (std::size_t i = 0; i < of.members.size(); ++i) text_ << (i > 0 ? "," : "") << (of.members[i] & 0xffffffff);
        text_ << '\n';
        called("O2A", sum_of(Shape::from_one, number, of.sides, totals));
        called("A2O", sum_of(Shape::to_one, number, of.sides, totals));
        called("A2A", sum_of(Shape::to_all, number, of.sides, totals));
    }

private:
    void to(const char *letter, std::uint64_t rank, const Count &count) {
        text_ << letter << '\t' << rank_ << '\t' << rank << '\t' << count.bytes << " bytes\t" << count.messages
              << " msgs sent";
    }
    void histogram(const Count &count) {
        for (int bin = 0; bin < sizes; ++bin)
            text_ << (bin > 0 ? ',' : '\t') << (bin < bins ? count.histogram[bin] : 0);
        text_ << '\n';
    }
    void called(const char *letters, const Count &count) {
        text_ << letters << '\t' << rank_ << '\t' << count.bytes << " bytes\t" << count.messages << " msgs sent\n";
    }

    std::ostringstream text_;
    int rank_;
};

}

std::string prof_text(const Totals &totals, const Arena &arena) {
    auto counts = in_own_world(totals, arena);
    Prof prof(arena);
    prof.title("POINT TO POINT");
    prof.sent(counts[Kind::point_to_point], counts[Kind::decomposed]);
    prof.title("OSC");
    prof.to_each("S", counts[Kind::put]);
    prof.to_each("R", counts[Kind::get]);
    prof.title("COLLECTIVES");
    prof.to_each("C", counts[Kind::collective]);
    for (const auto &[number, communicator] : communicators(arena)) prof.communicator(number, communicator, totals);
    return prof.text();
}

}
