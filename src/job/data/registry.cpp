// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/registry.hpp"

#include "memory/block.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace nereus::job {
namespace {

void *allocate_block(std::size_t bytes, void *) { return memory::take_block(bytes); }
void release_block(void *block, void *) { memory::give_back_block(block); }

std::string joined(const std::vector<std::int64_t> &numbers) {
    std::string text;
    for (const std::int64_t number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
}

void *allocate_plain(std::size_t bytes, void *) { return std::malloc(std::max<std::size_t>(bytes, 1)); }
void release_plain(void *memory, void *) { std::free(memory); }

}

nereus_memory library_memory() { return {allocate_block, release_block, nullptr}; }
nereus_memory c_memory() { return {allocate_plain, release_plain, nullptr}; }

bool Entry::is_a_block() const { return memory.allocate == allocate_block && !segment; }

void Entry::adopt_next() {
    borders = std::exchange(next_borders, {});
    if (next_shape) is = is.with(*std::exchange(next_shape, std::nullopt));
}

void Entry::leave_to_mpi() {
    left_to_mpi = true;
    memory::leave_to_mpi(segment);
}

std::string shape_in_words(const plan::Shape &shape) {
    switch (shape.layout) {
    case plan::Layout::block:
        return "block";
    case plan::Layout::replicated:
        return "replicated";
    case plan::Layout::weighted:
        return "weighted block (" + joined(shape.weights) + ")";
    case plan::Layout::cyclic:
        return "cyclic (" + std::to_string(shape.block) + ")";
    case plan::Layout::grid:
        break;
    }
    std::vector<std::int64_t> numbers{shape.rows, shape.columns, shape.block_rows, shape.block_columns};
    if (shape.grid_rows != 0 || shape.grid_columns != 0)
        numbers.insert(numbers.end(), {shape.grid_rows, shape.grid_columns});
    return "grid (" + joined(numbers) + ")";
}

std::string Description::sentence() const {
    const std::string size = std::to_string(elements()) + " x " + std::to_string(extent) + " B";
    if (value) return "value \"" + name + "\" of " + size;
    const std::string cut = rows_of.empty() ? shape_in_words(shape) : "matrix \"" + rows_of + "\" row by row in";
    return (constant ? "constant " : "variable ") + cut + " array \"" + name + "\" of " + size +
           (shared ? " in shared memory" : "") + (registered ? ", registered as " + shape_in_words(*registered) : "");
}

Description Description::with(const plan::Shape &other) const {
    Description is = *this;
    const plan::Shape first = registered.value_or(shape);
    is.shape = other;
    is.registered = other == first ? std::nullopt : std::optional(first);
    return is;
}

void Entry::let_go() {
    if (!owned) return;
    release(data);
    if (pointer != nullptr) *pointer = nullptr;
}

Registry::~Registry() {
    for (Entry &entry : entries_) entry.let_go();
}

std::int64_t Registry::bytes() const {
    std::int64_t sum = 0;
    for (const Entry &entry : entries_) sum += entry.is.bytes();
    return sum;
}

std::int64_t Registry::bytes_of_arrays(bool constant) const {
    std::int64_t sum = 0;
    for (const Entry &entry : entries_)
        if (!entry.is.value && entry.is.constant == constant) sum += entry.is.bytes();
    return sum;
}

Done Registry::check_name(const std::string &name) const {
    return find(name) == nullptr ? Done{} : failed(NEREUS_ERR_NAME, "\"" + name + "\" is registered already");
}

void Registry::add(Entry entry) {
    entry.registration = ++registrations_;
    entries_.push_back(std::move(entry));
    bound_ = entries_.size();
}

Done Registry::check_can_go(const std::string &name) const {
    const Entry *entry = find(name);
    if (entry == nullptr) return failed(NEREUS_ERR_NAME, "there is no \"" + name + "\"");
    if (!entry->is.rows_of.empty())
        return failed(NEREUS_ERR_NAME, "\"" + name + "\" is a part of the matrix \"" + entry->is.rows_of + "\"");
    return {};
}

void Registry::remove(const std::string &name) {
    if (const Entry *entry = find(name); entry != nullptr && !entry->is.value) leave_swaps(*entry);
    std::erase_if(entries_, [&](Entry &entry) {
        const bool goes = entry.is.name == name || entry.is.rows_of == name;
        if (goes) entry.let_go();
        return goes;
    });
    bound_ = entries_.size();
}

Result<Entry *> Registry::bind(const Description &asked) {
    Entry &expected = entries_[bound_];
    if (expected.is != asked)
        return failed(NEREUS_ERR_MISMATCH,
                      "this newcomer registers " + asked.sentence() + " where the job has " + expected.is.sentence());
    ++bound_;
    return &expected;
}

const Entry *Registry::find(const std::string &name) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry &e) { return e.is.name == name; });
    return found == entries_.end() ? nullptr : &*found;
}

std::vector<std::int64_t> Registry::borders_like(const Description &is) const {
    if (is.shape.layout != plan::Layout::weighted) return {};
    const auto found = std::ranges::find_if(
        entries_, [&](const Entry &e) { return !e.is.value && e.is.shape == is.shape && !e.borders.empty(); });
    return found == entries_.end() ? std::vector<std::int64_t>{} : found->borders;
}

std::vector<plan::LocalSizes> arrays_held(const Registry &registry, const plan::Sizes &sizes, Which which) {
    std::vector<plan::LocalSizes> arrays;
    for (const Entry &entry : registry.entries())
        if (!entry.is.value && (!entry.is.shared || which == Which::of_hosts_too))
            arrays.push_back({entry.before(sizes.sources), entry.after(sizes.drains), entry.is.extent});
    return arrays;
}

}
