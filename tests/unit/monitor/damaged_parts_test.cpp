// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: the records of processes that were killed, to a single one of them that is damaged.
#include "a_record.hpp"

#include "record/lines.hpp"

#include <fstream>
#include <iterator>
#include <random>

namespace nereus::monitor {
namespace {

std::string a_part(const std::string &file) {
    const auto record = a_record(facts(file));
    for (int peer = 0; peer < 20; ++peer) record->here().count(to(static_cast<std::uint64_t>(peer)), 100U);
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Bytes of all lines; 0 where the file is refused.
std::size_t read_all(const std::string &file, const std::string &content) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    const auto part = Arena::open(file);
    std::size_t bytes = 0;
    const TakeLine take = [&](const nlohmann::ordered_json &line) { bytes += text_of(line).size(); };
    if (part) lines_of(*part, take);
    if (part) totals_of(*part, take);
    return bytes;
}

TEST(Parts, ThatAreDamagedAreReadOrRefused) {
    const Folder folder;
    const std::string good = a_part(folder.file("good"));
    ASSERT_GT(read_all(folder.file("a"), good), 0U);
    std::mt19937_64 random(20240607);
    const std::string strange[] = {std::string(1, '\0'), "\xff\xff\xff\xff", std::string(8, '\x7f'), "\x01", "{"};
    const std::size_t most = std::min<std::size_t>(good.size(), 20000);
    for (int trial = 0; trial < 1000; ++trial) {
        std::string content = good;
        for (int change = 0; change < 4; ++change) {
            const std::string &what = strange[random() % std::size(strange)];
            content.replace(random() % (most - 8), what.size(), what);
        }
        if (trial % 5 == 0) content.resize(random() % most);
        read_all(folder.file("a"), content);
    }
}

TEST(Parts, WithoutAnEndOfTheirTextsAreReadUpToTheirPlace) {
    const Folder folder;
    std::string content = a_part(folder.file("good"));
    for (std::size_t at = 8 + 8; at < content.size(); ++at)
        if (content[at] == '\0') content[at] = 'x';
    read_all(folder.file("a"), content);
}

}
}
