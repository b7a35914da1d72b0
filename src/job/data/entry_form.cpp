// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/entry_form.hpp"

#include "epochs/array_form.hpp"
#include "job/data/values.hpp"
#include "job/state/checked_json.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace nereus::job {
namespace {

using nlohmann::json;

json as_json(const plan::Shape &shape) {
    return {{"layout", static_cast<int>(shape.layout)},
            {"elements", shape.elements},
            {"weights", shape.weights},
            {"block", shape.block},
            {"rows", shape.rows},
            {"columns", shape.columns},
            {"block_rows", shape.block_rows},
            {"block_columns", shape.block_columns},
            {"grid_rows", shape.grid_rows},
            {"grid_columns", shape.grid_columns}};
}

plan::Shape shape_from(const json &in, std::int64_t most_elements) {
    plan::Shape shape;
    shape.layout = static_cast<plan::Layout>(whole(in, "layout", 0));
    shape.elements = whole<std::int64_t>(in, "elements", 0, most_elements);
    shape.weights = in.at("weights").get<std::vector<std::int64_t>>();
    shape.block = whole<std::int64_t>(in, "block", 1);
    shape.rows = whole<std::int64_t>(in, "rows", 0);
    shape.columns = whole<std::int64_t>(in, "columns", 0);
    shape.block_rows = whole<std::int64_t>(in, "block_rows", 1);
    shape.block_columns = whole<std::int64_t>(in, "block_columns", 1);
    // Epochs of older versions do not have them.
    if (in.contains("grid_rows")) shape.grid_rows = whole<int>(in, "grid_rows", 0);
    if (in.contains("grid_columns")) shape.grid_columns = whole<int>(in, "grid_columns", 0);
    if (auto done = plan::check_for_all_sizes(shape); !done) throw std::out_of_range(done.error().what);
    return shape;
}

}

json description_as_json(const Description &is) {
    json out{{"name", is.name},
             {"value", is.value},
             {"constant", is.constant},
             {"extent", is.extent},
             {"shape", as_json(is.shape)},
             {"halo", is.halo},
             {"rows_of", is.rows_of},
             {"type", is.type}};
    if (is.registered) out["registered"] = as_json(*is.registered);
    return out;
}

Description description_from(const json &in) {
    Description is;
    is.name = in.at("name");
    is.value = in.at("value");
    is.constant = in.at("constant");
    is.extent = whole<std::int64_t>(in, "extent", 1);
    is.halo = whole<std::int64_t>(in, "halo", 0, 1);
    const std::int64_t most = std::min(plan::most_elements, INT64_MAX / is.extent) - is.halo;
    is.shape = shape_from(in.at("shape"), most);
    if (in.contains("registered")) is.registered = shape_from(in.at("registered"), most);
    is.rows_of = in.at("rows_of");
    is.type = in.at("type");
    if (!epochs::is_data_type(is.type, is.extent)) throw std::out_of_range("a type of another extent");
    if (is.registered && (is.registered->elements != is.shape.elements || !is.has_own_distribution()))
        throw std::out_of_range("another distribution of other elements");
    if (is.value && is.elements() > most_in_value) throw std::out_of_range("a value has too many elements");
    if (is.halo > 0 && (!is.over(1).contiguous() || is.shape.layout == plan::Layout::replicated))
        throw std::out_of_range("no array of this layout has a halo");
    return is;
}

Entry entry_of(Description is) {
    Entry entry;
    entry.is = std::move(is);
    entry.memory = library_memory();
    if (!entry.is.value) return entry;
    entry.data = entry.memory.allocate(static_cast<std::size_t>(entry.is.bytes()), nullptr);
    if (entry.data == nullptr) throw std::bad_alloc();
    return entry;
}

}
