// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/save_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace nereus::epochs {
namespace {

using nlohmann::json;

constexpr std::string_view prefix = "epoch-";
constexpr const char *unfinished_prefix = ".epoch-";
constexpr std::int64_t most_root_bytes = 1 << 16;
constexpr int folder_format = 1;

json root_metadata() {
    return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", {{"nereus", {{"epochs", folder_format}}}}}};
}

tl::unexpected<Error> is_none(const Path &path, const std::string &why) {
    return failed(NEREUS_ERR_SETTING, path.string() + ": is no folder of epochs: " + why);
}

Path without_end(const Path &path) { return path.filename().empty() ? path.parent_path() : path; }

}

std::uint64_t epoch_in(const std::string &name) {
    if (!name.starts_with(prefix) || name.size() == prefix.size() || name[prefix.size()] == '0') return 0;
    std::uint64_t number = 0;
    const char *last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data() + prefix.size(), last, number);
    return error == std::errc{} && end == last ? number : 0;
}

/// With all above it, whose names are on the disk then.
Done SaveFolder::make_folder() const {
    std::vector<Path> missing;
    for (Path path = path_; !path.empty() && !files_.exists(path); path = path.parent_path()) missing.push_back(path);
    if (auto done = files_.make_folder(path_); !done) return done;
    for (const Path &made : missing)
        if (auto done = files_.sync_folder(made.has_parent_path() ? made.parent_path() : "."); !done) return done;
    return {};
}

Done SaveFolder::make_root() const {
    if (auto done = make_folder(); !done) return done;
    const Path made = path_ / ".zarr.json.unfinished";
    if (auto done = files_.remove_all(made); !done) return done;
    if (auto done = write_text(files_, made, root_metadata().dump(2) + "\n"); !done) return done;
    if (auto done = files_.rename(made, path_ / "zarr.json"); !done) return done;
    return files_.sync_folder(path_);
}

Done SaveFolder::prepare() {
    auto names = files_.names_in(path_);
    if (!names) return is_none(path_, names.error().what);
    std::erase_if(*names, [](const std::string &name) { return name.starts_with("."); });
    return names->empty() ? make_root() : check();
}

Done SaveFolder::check() const {
    const auto text = read_text(files_, path_ / "zarr.json", most_root_bytes);
    if (!text) return is_none(path_, text.error().what);
    const json root = json::parse(*text, nullptr, false);
    const auto known = json::json_pointer("/attributes/nereus/epochs");
    if (!root.is_object() || !root.contains(known)) return is_none(path_, "its zarr.json is of something else");
    if (root.at(known) == folder_format) return {};
    return is_none(path_, "its format is " + root.at(known).dump().substr(0, 40) + ": this version reads " +
                              std::to_string(folder_format));
}

Result<std::vector<std::uint64_t>> SaveFolder::epochs() const {
    auto names = files_.names_in(path_);
    if (!names) return tl::unexpected(names.error());
    std::vector<std::uint64_t> numbers;
    for (const std::string &name : *names)
        if (const std::uint64_t number = epoch_in(name); number != 0) numbers.push_back(number);
    std::ranges::sort(numbers);
    return numbers;
}

Path SaveFolder::folder_of(std::uint64_t epoch) const { return path_ / (std::string(prefix) + std::to_string(epoch)); }

Path SaveFolder::unfinished(std::uint64_t epoch) const {
    return path_ / (unfinished_prefix + std::to_string(epoch) + ".unfinished");
}

Done SaveFolder::begin(std::uint64_t epoch) {
    auto names = files_.names_in(path_);
    if (!names) return tl::unexpected(names.error());
    for (const std::string &name : *names) {
        if (!name.starts_with(unfinished_prefix) || !name.ends_with(".unfinished")) continue;
        if (auto done = files_.remove_all(path_ / name); !done) return done;
    }
    return files_.make_folder(unfinished(epoch));
}

Done SaveFolder::complete(std::uint64_t epoch) {
    if (auto done = files_.rename(unfinished(epoch), folder_of(epoch)); !done) return done;
    if (auto done = files_.sync_folder(path_); !done) return done;
    remove_old();
    return {};
}

/// An old one that cannot be removed does no harm. It loses its name first, on the disk too: never is half of one
/// found.
void SaveFolder::remove_old() const {
    const auto numbers = epochs();
    if (!numbers || numbers->size() <= epochs_kept) return;
    for (std::size_t i = 0; i + epochs_kept < numbers->size(); ++i) withdraw((*numbers)[i]);
}

void SaveFolder::withdraw(std::uint64_t epoch) const {
    const Path without_name = unfinished(epoch);
    if (files_.rename(folder_of(epoch), without_name) && files_.sync_folder(path_))
        (void)files_.remove_all(without_name);
}

void SaveFolder::keep_only(std::uint64_t epoch) const {
    for (const std::uint64_t number : epochs().value_or(std::vector<std::uint64_t>{}))
        if (number != epoch) withdraw(number);
}

Result<ChosenEpoch> choose_epoch(Files &files, const Path &given) {
    const Path path = without_end(given);
    if (const std::uint64_t epoch = epoch_in(path.filename().string()); epoch != 0) {
        const Path folder = path.has_parent_path() ? path.parent_path() : Path(".");
        const SaveFolder of_all(files, folder);
        if (auto done = of_all.check(); !done) return tl::unexpected(done.error());
        const auto numbers = of_all.epochs();
        if (numbers && std::ranges::binary_search(*numbers, epoch)) return ChosenEpoch{folder, epoch};
        return failed(NEREUS_ERR_SETTING, path.string() + ": there is no such epoch");
    }
    const SaveFolder all(files, path);
    if (auto done = all.check(); !done) return tl::unexpected(done.error());
    const auto numbers = all.epochs();
    if (!numbers) return tl::unexpected(numbers.error());
    if (numbers->empty()) return failed(NEREUS_ERR_SETTING, path.string() + ": holds no complete epoch");
    return ChosenEpoch{path, numbers->back()};
}

}
