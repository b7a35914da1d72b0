// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/values.hpp"
#include "job/resize/offer.hpp"
#include "shapes.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

namespace nereus::job {
namespace {

std::string any_name() { return *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', '{'))); }

Description any_array() {
    const auto extent = *rc::gen::inRange<std::int64_t>(1, 5000);
    plan::Shape shape = plan::any_shape(1000);
    if (shape.layout == plan::Layout::block || shape.layout == plan::Layout::replicated)
        shape.elements = *rc::gen::inRange<std::int64_t>(0, std::min(plan::most_elements, INT64_MAX / extent));
    const bool shared = plan::Distribution(shape, 1).contiguous() && *rc::gen::arbitrary<bool>();
    Description is;
    is.name = any_name();
    is.constant = *rc::gen::arbitrary<bool>();
    is.shared = shared;
    is.shape = shape;
    is.extent = extent;
    if (shape.elements <= 1000 && *rc::gen::arbitrary<bool>()) // a matrix with as many is looked for
        is = is.with(plan::any_shape_like(shape, plan::any_layout()));
    is.shared = is.shared && is.over(1).contiguous();
    return is;
}

/// Entries and the memory of the values among them, which is the application's.
struct Registered {
    std::vector<Entry> entries;
    std::vector<std::vector<std::uint8_t>> values;

    void add_value(const std::string &name, std::vector<std::uint8_t> bytes) {
        Entry entry;
        entry.is.name = name;
        entry.is.value = true;
        entry.is.shape.layout = plan::Layout::replicated;
        entry.is.shape.elements = std::ssize(bytes);
        entry.is.extent = 1;
        values.push_back(std::move(bytes));
        entry.data = values.back().data();
        entries.push_back(entry);
    }
};

std::vector<std::int64_t> any_borders(std::int64_t elements, int ranks) {
    std::vector<std::int64_t> borders{0};
    const plan::Distribution cut = plan::any_borders(elements, ranks);
    for (int rank = 0; rank < ranks; ++rank) borders.push_back(cut.range_of(rank).end);
    return borders;
}

/// An array, the starts of a matrix, or its columns.
Entry any_entry(const plan::Sizes &sizes) {
    Entry entry;
    entry.is = any_array();
    const auto matrix = *rc::gen::inRange(0, 3);
    if (matrix > 0) {
        entry.is.registered.reset();
        entry.is.shape = plan::Shape();
        entry.is.shape.elements = *rc::gen::inRange<std::int64_t>(0, 1000);
    }
    if (matrix == 1) entry.is.halo = 1;
    if (matrix < 2 && entry.is.shape.layout == plan::Layout::weighted) { // rows that were balanced, or are to be
        const std::int64_t rows = entry.is.shape.elements;
        if (*rc::gen::arbitrary<bool>()) entry.borders = any_borders(rows, sizes.sources);
        if (*rc::gen::arbitrary<bool>()) entry.next_borders = any_borders(rows, sizes.drains);
    }
    if (matrix != 2) return entry;
    entry.is.rows_of = any_name();
    entry.borders = any_borders(entry.is.elements(), sizes.sources);
    entry.next_borders = any_borders(entry.is.elements(), sizes.drains);
    return entry;
}

Registered any_registered(const plan::Sizes &sizes) {
    Registered registered;
    registered.values.reserve(4); // entries point into it
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) {
        registered.entries.push_back(any_entry(sizes));
        registered.add_value(any_name(), *rc::gen::nonEmpty<std::vector<std::uint8_t>>());
    }
    return registered;
}

std::vector<std::string> any_hosts(int processes) {
    return *rc::gen::container<std::vector<std::string>>(static_cast<std::size_t>(processes),
                                                         rc::gen::element<std::string>("n1", "n2.site", ""));
}

/// The sources in another order, where there are newcomers with gaps for them.
void renumber(plan::Sizes &sizes) {
    const int staying = sizes.staying();
    sizes.kept.assign(static_cast<std::size_t>(sizes.drains), -1);
    for (int i = 0; i < staying; ++i)
        sizes.kept[static_cast<std::size_t>(sizes.drains - 1 - i)] = sizes.sources - staying + i;
}

/// As the founders have them once they have settled what memory the arrays lie in.
Settings any_settings() {
    Settings settings;
    settings.memory = *rc::gen::element<int>(memory_private, memory_shared);
    settings.memory_key = *rc::gen::element<std::string>("", "0123456789abcdef");
    settings.transfer_memory = *rc::gen::inRange<std::int64_t>(1 << 16, std::int64_t{1} << 62);
    settings.verify = *rc::gen::arbitrary<bool>();
    settings.message_bytes = *rc::gen::inRange<std::int64_t>(1, 2147483648);
    settings.answer_timeout = *rc::gen::inRange(1, 1000000) * 0.7;
    settings.slowest_rate = *rc::gen::inRange(1, 1000000) * 0.3;
    settings.results = *rc::gen::element("", "run.jsonl");
    settings.max_ranks = *rc::gen::inRange(1, 1000);
    return settings;
}

Offer any_offer() {
    Offer offer;
    offer.generation = *rc::gen::inRange<std::int64_t>(-1, INT64_MAX);
    offer.sizes = {*rc::gen::inRange(1, 100), *rc::gen::inRange(1, 100), *rc::gen::arbitrary<bool>()};
    if (!offer.sizes.anew && *rc::gen::arbitrary<bool>()) renumber(offer.sizes);
    offer.transfer_choice = {*rc::gen::inRange(0, 4), *rc::gen::inRange(0, 4)};
    offer.settings = any_settings();
    offer.first_world = *rc::gen::arbitrary<plan::World>();
    offer.worlds = *rc::gen::container<std::vector<plan::World>>(static_cast<std::size_t>(offer.sizes.drains),
                                                                 rc::gen::arbitrary<plan::World>());
    offer.hosts = any_hosts(offer.sizes.drains);
    offer.source_hosts = any_hosts(offer.sizes.sources);
    offer.redistributions = any_hosts(*rc::gen::inRange(0, 3)); // any texts
    offer.handles = {{"n1", {{{"pid", *rc::gen::inRange(1, 1000)}}, nullptr}}};
    return offer;
}

Result<Unpacked> unpacked_from(const mpi::Bytes &bytes) { return unpack_offer(bytes, Settings{}); }

/// Unpacked entries own their memory once they are in a registry.
Registry owned(Unpacked &&unpacked) {
    Registry registry;
    registry.expect(std::move(unpacked.entries));
    return registry;
}

RC_GTEST_PROP(Offer, TellsNewcomersWhatTheJobHas, ()) {
    const Offer offer = any_offer();
    const Registered registered = any_registered(offer.sizes);
    Settings own;
    own.party = "3.0";
    auto unpacked = unpack_offer(pack(offer, registered.entries), own);
    RC_ASSERT(unpacked.has_value());
    const Offer told = unpacked->offer;
    const Registry registry = owned(std::move(*unpacked));
    RC_ASSERT(told.generation == offer.generation);
    RC_ASSERT(std::tie(told.sizes.sources, told.sizes.drains, told.sizes.anew, told.sizes.kept) ==
              std::tie(offer.sizes.sources, offer.sizes.drains, offer.sizes.anew, offer.sizes.kept));
    RC_ASSERT(std::tie(told.transfer_choice.method, told.transfer_choice.strategy) ==
              std::tie(offer.transfer_choice.method, offer.transfer_choice.strategy));
    RC_ASSERT(texts_of_job(told.settings) == texts_of_job(offer.settings));
    RC_ASSERT(told.settings.memory_key == offer.settings.memory_key);
    RC_ASSERT(told.settings.party == "3.0");
    RC_ASSERT(told.first_world == offer.first_world);
    RC_ASSERT(told.worlds == offer.worlds);
    RC_ASSERT(told.hosts == offer.hosts);
    RC_ASSERT(told.source_hosts == offer.source_hosts);
    RC_ASSERT(told.redistributions == offer.redistributions);
    RC_ASSERT(told.handles == offer.handles);
    RC_ASSERT(registry.entries().size() == registered.entries.size());
    for (std::size_t i = 0; i < registered.entries.size(); ++i) {
        const Entry &came = registry.entries()[i], &sent = registered.entries[i];
        RC_ASSERT(came.is == sent.is);
        RC_ASSERT(came.borders == sent.borders && came.next_borders == sent.next_borders);
    }
}

RC_GTEST_PROP(Values, ComeToNewcomersAsRankZeroHasThem, ()) {
    const Offer offer = any_offer();
    const Registered registered = any_registered(offer.sizes);
    Registry sources;
    for (const Entry &entry : registered.entries) sources.add(entry);
    Registry newcomer = owned(*unpacked_from(pack(offer, registered.entries)));
    take_values(newcomer, values_of(sources));
    for (std::size_t i = 0; i < registered.entries.size(); ++i) {
        const Entry &sent = registered.entries[i], &came = newcomer.entries()[i];
        if (sent.is.value) RC_ASSERT(std::memcmp(came.data, sent.data, static_cast<std::size_t>(sent.is.bytes())) == 0);
    }
    for (Entry &entry : sources.entries()) entry.owned = false; // their memory is `registered`
}

/// What a newcomer relies on when it computes with an offer.
void assert_usable(const Offer &offer, const Registry &registry) {
    RC_ASSERT(offer.generation >= 0);
    RC_ASSERT(offer.sizes.sources >= 1 && offer.sizes.drains >= 1);
    RC_ASSERT(offer.transfer_choice.method >= NEREUS_P2P && offer.transfer_choice.method < NEREUS_TRANSFER_AUTO);
    RC_ASSERT(offer.transfer_choice.strategy >= NEREUS_BLOCKING &&
              offer.transfer_choice.strategy < NEREUS_STRATEGY_AUTO);
    RC_ASSERT(std::ssize(offer.hosts) == offer.sizes.drains && std::ssize(offer.source_hosts) == offer.sizes.sources);
    RC_ASSERT(offer.settings.message_bytes >= 1 && offer.settings.message_bytes <= 2147483647);
    RC_ASSERT(offer.settings.answer_timeout > 0 && offer.settings.slowest_rate > 0);
    for (const Entry &entry : registry.entries()) {
        RC_ASSERT(entry.is.elements() >= 0 && entry.is.extent >= 1);
        RC_ASSERT(entry.is.elements() <= INT64_MAX / entry.is.extent);
        for (const auto &[borders, ranks] :
             {std::pair{entry.borders, offer.sizes.sources}, std::pair{entry.next_borders, offer.sizes.drains}}) {
            if (borders.empty()) continue; // in one condition, both sides would be looked at
            RC_ASSERT(borders.back() == entry.is.shape.elements);
            RC_ASSERT(std::ssize(borders) == ranks + 1);
        }
        if (entry.is.rows_of.empty()) continue;
        RC_ASSERT(std::ssize(entry.borders) == offer.sizes.sources + 1 && entry.borders.back() == entry.is.elements());
        RC_ASSERT(std::ssize(entry.next_borders) == offer.sizes.drains + 1 &&
                  entry.next_borders.back() == entry.is.elements());
        RC_ASSERT(plan::check_borders(entry.borders) && plan::check_borders(entry.next_borders));
    }
}

void assert_error_or_usable(const mpi::Bytes &bytes) {
    auto unpacked = unpacked_from(bytes);
    if (!unpacked) {
        RC_ASSERT(unpacked.error().code == NEREUS_ERR_MISMATCH);
        RC_ASSERT(!unpacked.error().what.empty());
        return;
    }
    const Offer told = unpacked->offer;
    assert_usable(told, owned(std::move(*unpacked)));
}

RC_GTEST_PROP(Offer, RandomBytesAreRefusedAndNothingElse, ()) {
    assert_error_or_usable(*rc::gen::arbitrary<mpi::Bytes>());
}

RC_GTEST_PROP(Offer, AnOfferThatArrivedChangedIsRefusedOrStillUsable, ()) {
    const Offer offer = any_offer();
    const mpi::Bytes good = pack(offer, any_registered(offer.sizes).entries);
    for (int changes = 0; changes < 40; ++changes) {
        mpi::Bytes bad = good;
        for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
            bad[*rc::gen::inRange<std::size_t>(0, bad.size())] = *rc::gen::arbitrary<std::uint8_t>();
        assert_error_or_usable(bad);
    }
}

RC_GTEST_PROP(Offer, AnOfferThatArrivedShortIsRefused, ()) {
    const Offer offer = any_offer();
    const mpi::Bytes good = pack(offer, any_registered(offer.sizes).entries);
    const mpi::Bytes part(good.begin(), good.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(good)));
    RC_ASSERT(!unpacked_from(part));
}

Offer small_offer() {
    Offer offer;
    offer.sizes = {1, 2, false};
    offer.settings.memory = memory_private;
    offer.worlds = {1, 1};
    offer.source_hosts = {"n1"};
    offer.hosts = {"n1", "n1"};
    return offer;
}

/// A packed offer with one value, changed by change(json).
template <class Change> mpi::Bytes changed(Change change) {
    Registered registered;
    registered.values.reserve(1);
    registered.add_value("v", {1, 2, 3});
    nlohmann::json json = nlohmann::json::from_msgpack(pack(small_offer(), registered.entries));
    change(json);
    return nlohmann::json::to_msgpack(json);
}

TEST(Offer, AnotherVersionIsNamed) {
    const auto unpacked = unpacked_from(changed([](nlohmann::json &json) { json["version"] = 99; }));
    ASSERT_FALSE(unpacked);
    EXPECT_EQ(unpacked.error().code, NEREUS_ERR_MISMATCH);
    EXPECT_NE(unpacked.error().what.find("version 99"), std::string::npos) << unpacked.error().what;
}

TEST(Values, AreNeverWrittenBeyondTheirBytes) {
    auto unpacked = unpacked_from(changed([](nlohmann::json &) {}));
    ASSERT_TRUE(unpacked) << unpacked.error().what;
    Registry registry = owned(std::move(*unpacked));
    const auto *data = static_cast<const std::uint8_t *>(registry.entries().front().data);
    take_values(registry, Values{{7, 8, 9, 10, 11}});
    EXPECT_EQ(std::vector<std::uint8_t>(data, data + 3), (std::vector<std::uint8_t>{7, 8, 9}));
    for (const Values &short_ones : {Values{}, Values{{}}}) take_values(registry, short_ones);
    EXPECT_EQ(std::vector<std::uint8_t>(data, data + 3), (std::vector<std::uint8_t>{7, 8, 9}));
}

TEST(Offer, BordersThatCannotBeAreRefused) {
    Entry columns;
    columns.is.name = "A/columns";
    columns.is.rows_of = "A";
    columns.is.shape.elements = 10;
    columns.is.extent = 8;
    columns.borders = {0, 10};
    columns.next_borders = {0, 4, 10};
    const nlohmann::json good = nlohmann::json::from_msgpack(pack(small_offer(), {columns}));
    ASSERT_TRUE(unpacked_from(nlohmann::json::to_msgpack(good)));
    using Borders = std::vector<std::int64_t>;
    for (const Borders &next :
         {Borders{}, Borders{0, 10}, Borders{0, 11, 10}, Borders{0, 4, 9}, Borders{1, 4, 10}, Borders{0, 4, 5, 10}}) {
        nlohmann::json bad = good;
        bad["entries"][0]["next_borders"] = next;
        EXPECT_FALSE(unpacked_from(nlohmann::json::to_msgpack(bad))) << bad;
    }
    nlohmann::json bad = good;
    bad["entries"][0]["rows_of"] = "";
    EXPECT_FALSE(unpacked_from(nlohmann::json::to_msgpack(bad))) << "only a matrix has borders";
}

TEST(Offer, ALayoutThatDoesNotExistIsRefused) {
    for (const int layout : {-1, 99})
        EXPECT_FALSE(
            unpacked_from(changed([&](nlohmann::json &json) { json["entries"][0]["shape"]["layout"] = layout; })));
}

TEST(Offer, AGridThatAnyNumberOfProcessesFillsIsKept) {
    Entry entry;
    entry.is.name = "x";
    entry.is.shape = {.layout = plan::Layout::grid, .elements = 10, .rows = 5, .columns = 2, .grid_columns = 1};
    entry.is.extent = 8;
    const nlohmann::json good = nlohmann::json::from_msgpack(pack(small_offer(), {entry}));
    const auto with = [&](const char *key, int value) {
        nlohmann::json bad = good;
        bad["entries"][0]["shape"][key] = value;
        return unpacked_from(nlohmann::json::to_msgpack(bad));
    };
    const auto has = unpacked_from(nlohmann::json::to_msgpack(good));
    ASSERT_TRUE(has);
    EXPECT_EQ(has->entries[0].is.shape, entry.is.shape);
    EXPECT_FALSE(with("grid_columns", 2));
    EXPECT_FALSE(with("grid_columns", -1));
    EXPECT_FALSE(with("grid_rows", 1)) << "one process alone fills it";
}

TEST(Offer, AShapeOfAnOlderEpochHasTheMostSquareGrid) {
    Entry entry;
    entry.is.name = "x";
    entry.is.shape = {.layout = plan::Layout::grid, .elements = 10, .rows = 5, .columns = 2, .grid_columns = 1};
    entry.is.extent = 8;
    nlohmann::json older = nlohmann::json::from_msgpack(pack(small_offer(), {entry}));
    older["entries"][0]["shape"].erase("grid_rows");
    older["entries"][0]["shape"].erase("grid_columns");
    const auto has = unpacked_from(nlohmann::json::to_msgpack(older));
    ASSERT_TRUE(has);
    EXPECT_EQ(has->entries[0].is.shape.grid_columns, 0);
}

TEST(Offer, ADistributionThatTheArrayCannotHaveBeenRegisteredWithIsRefused) {
    Entry entry;
    entry.is.name = "x";
    entry.is.shape = {plan::Layout::cyclic, 10};
    entry.is.extent = 8;
    entry.is.registered = plan::Shape{plan::Layout::block, 10};
    const nlohmann::json good = nlohmann::json::from_msgpack(pack(small_offer(), {entry}));
    ASSERT_TRUE(unpacked_from(nlohmann::json::to_msgpack(good)));
    for (const auto &[key, value] : {std::pair<const char *, nlohmann::json>{"elements", 11}, {"layout", 9}}) {
        nlohmann::json bad = good;
        bad["entries"][0]["registered"][key] = value;
        EXPECT_FALSE(unpacked_from(nlohmann::json::to_msgpack(bad))) << bad;
    }
    for (const auto &[key, value] : {std::pair<const char *, nlohmann::json>{"value", true}, {"rows_of", "A"}}) {
        nlohmann::json bad = good;
        bad["entries"][0][key] = value;
        EXPECT_FALSE(unpacked_from(nlohmann::json::to_msgpack(bad))) << "it has no distribution of its own: " << bad;
    }
}

TEST(Offer, ANumberingThatCannotBeIsRefused) {
    using Kept = std::vector<int>;
    for (const Kept &kept : {Kept{0, 0}, Kept{1, -1}, Kept{-1, -1}, Kept{0}, Kept{-2, 0}})
        EXPECT_FALSE(unpacked_from(changed([&](nlohmann::json &json) { json["kept"] = kept; })));
    EXPECT_TRUE(unpacked_from(changed([&](nlohmann::json &json) { json["kept"] = Kept{-1, 0}; })));
}

TEST(Offer, NumbersOutsideWhatIsPossibleAreRefused) {
    for (const char *key : {"sources", "drains"})
        EXPECT_FALSE(unpacked_from(changed([&](nlohmann::json &json) { json[key] = 0; }))) << key;
    for (const char *key : {"sources", "drains", "transfer_method", "transfer_strategy", "generation"})
        for (const nlohmann::json &value : {nlohmann::json(-2), nlohmann::json(1.5), nlohmann::json(UINT64_MAX)})
            EXPECT_FALSE(unpacked_from(changed([&](nlohmann::json &json) { json[key] = value; })))
                << key << " " << value;
}

std::string refusal_of(const char *setting, const nlohmann::json &text) {
    const auto unpacked = unpacked_from(changed([&](nlohmann::json &json) { json["settings"][setting] = text; }));
    if (unpacked) return "accepted";
    EXPECT_EQ(unpacked.error().code, NEREUS_ERR_MISMATCH);
    return unpacked.error().what;
}

TEST(Offer, SettingsThatNoJobCanHaveAreRefusedWithTheirNames) {
    EXPECT_EQ(refusal_of("message-bytes", "0"),
              "the job's offer cannot be read: message-bytes = 0: allowed is 1 .. 2147483647 B");
    EXPECT_EQ(refusal_of("memory", "auto"),
              "the job's offer cannot be read: memory = auto: allowed is shared, private");
    EXPECT_EQ(refusal_of("verify", "off"), "accepted");
    EXPECT_NE(refusal_of("party", "1.1"), "accepted") << "what a process has of its own does not travel";
    EXPECT_NE(refusal_of("verify", true), "accepted") << "all travel as texts";
    EXPECT_FALSE(unpacked_from(changed([](nlohmann::json &json) { json["settings"].erase("max-ranks"); })));
}

TEST(Offer, ThatIsNoneSaysWhyTheResizeWasUndone) {
    const auto unpacked = unpacked_from(pack_rolled_back("the job ended"));
    ASSERT_FALSE(unpacked);
    EXPECT_EQ(unpacked.error().what, "the job ended");
}

}
}
