// SPDX-License-Identifier: BSD-3-Clause
// The C API of what an application registers, and of where its elements are.
#include "job/c_boundary.hpp"
#include "job/data/element_type.hpp"
#include "job/data/values.hpp"
#include "redistribution/c_arguments.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace {

using nereus::Done;
using nereus::failed;
using nereus::Result;
using nereus::job::check_name;
using nereus::job::Description;
using nereus::job::guarded;
using nereus::job::usable;
using nereus::redistribution::extent_of;
using nereus::redistribution::shape_for_all_sizes;

constexpr std::int64_t most_rows = std::int64_t{1} << 59;

Result<Description> describe(const char *name, MPI_Datatype type, std::int64_t least, std::int64_t elements,
                             std::int64_t most) {
    if (auto named = check_name(name); !named) return tl::unexpected(named.error());
    auto extent = extent_of(type);
    if (!extent) return tl::unexpected(extent.error());
    most = std::min(most, nereus::redistribution::most_elements_of(*extent));
    if (elements < least || elements > most)
        return failed(NEREUS_ERR_ARGUMENT, std::string("\"") + name + "\" cannot have " + std::to_string(elements) +
                                               " elements: allowed is " + std::to_string(least) + " .. " +
                                               std::to_string(most));
    Description is;
    is.name = name;
    is.shape.elements = elements;
    is.extent = *extent;
    is.type = nereus::job::element_type(type, *extent);
    return is;
}

nereus_distribution simple_distribution(nereus_layout layout) {
    nereus_distribution distribution{};
    distribution.layout = layout;
    distribution.block = 1;
    return distribution;
}

Result<Description> describe_array(const char *name, MPI_Datatype type, std::int64_t elements,
                                   const nereus_distribution &distribution, nereus_kind kind) {
    auto is = describe(name, type, 0, elements, nereus::plan::most_elements);
    if (!is) return is;
    if (kind != NEREUS_CONSTANT && kind != NEREUS_VARIABLE)
        return failed(NEREUS_ERR_ARGUMENT, "kind is NEREUS_CONSTANT or NEREUS_VARIABLE");
    auto shape = shape_for_all_sizes(distribution, elements);
    if (!shape) return tl::unexpected(shape.error());
    is->shape = *shape;
    is->constant = kind == NEREUS_CONSTANT;
    return is;
}

Done add_array(nereus_job *job, const Result<Description> &is, void **pointer, const nereus_memory *memory) {
    if (!is) return tl::unexpected(is.error());
    if (pointer == nullptr) return failed(NEREUS_ERR_ARGUMENT, "pointer is NULL");
    if (memory != nullptr && (memory->allocate == nullptr || memory->release == nullptr))
        return failed(NEREUS_ERR_ARGUMENT, "memory needs both functions");
    return job->inside->data().add_array(*is, pointer, memory);
}

/// What does not depend on the number of nonzeros. What says which elements are where never changes.
Result<nereus::job::MatrixParts> describe_matrix(const char *name, MPI_Datatype type, std::int64_t rows,
                                                 const nereus_distribution &distribution, nereus_kind kind) {
    if (distribution.layout != NEREUS_BLOCK && distribution.layout != NEREUS_WEIGHTED)
        return failed(NEREUS_ERR_ARGUMENT, "rows are distributed by NEREUS_BLOCK or NEREUS_WEIGHTED");
    if (rows > most_rows)
        return failed(NEREUS_ERR_ARGUMENT,
                      "rows = " + std::to_string(rows) + ": allowed are " + std::to_string(most_rows));
    auto starts = describe_array(name, MPI_INT64_T, rows, distribution, NEREUS_CONSTANT);
    if (!starts) return tl::unexpected(starts.error());
    auto values = describe_array(name, type, 0, simple_distribution(NEREUS_BLOCK), kind);
    if (!values) return tl::unexpected(values.error());
    return nereus::job::parts_of_matrix(*starts, *values);
}

/// What `given` says of a registered array; what is wrong with the array itself is found later.
Result<nereus::plan::Shape> shape_for(const nereus::job::Job &job, const std::string &name,
                                      const nereus_distribution *given) try {
    if (given == nullptr) return failed(NEREUS_ERR_ARGUMENT, "distribution is NULL");
    const auto *entry = job.state().registry.find(name);
    if (entry == nullptr || entry->is.value) return nereus::plan::Shape{};
    auto shape = shape_for_all_sizes(*given, entry->is.shape.elements);
    if (!shape) return shape;
    const int ranks = job.generation().control.size();
    auto done = nereus::redistribution::check_pair(entry->before(ranks), {*shape, ranks});
    return done ? shape : tl::unexpected(done.error());
} catch (const std::bad_alloc &) { // the others are told
    return failed(NEREUS_ERR_MEMORY, "no memory left");
}

/// Calls ask(distribution, rank) for an array; a value is whole on each process.
template <class Ask> std::int64_t about(const nereus_job *job, const char *name, Ask ask) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    const auto *entry = name == nullptr ? nullptr : job->inside->state().registry.find(name);
    if (entry == nullptr) return NEREUS_ERR_NAME;
    const auto &control = job->inside->generation().control;
    if (entry->is.value)
        return ask(nereus::plan::Distribution(nereus::plan::Layout::replicated, entry->is.elements(), control.size()),
                   0);
    return ask(entry->before(control.size()), control.rank());
}

}

extern "C" {

int nereus_array(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements, enum nereus_layout layout,
                 enum nereus_kind kind, void **pointer) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&] {
        return add_array(job, describe_array(name, type, elements, simple_distribution(layout), kind), pointer,
                         nullptr);
    });
}

int nereus_array_distributed(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements,
                             const nereus_distribution *distribution, enum nereus_kind kind, void **pointer,
                             const nereus_memory *memory) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&]() -> Done {
        if (distribution == nullptr) return failed(NEREUS_ERR_ARGUMENT, "distribution is NULL");
        return add_array(job, describe_array(name, type, elements, *distribution, kind), pointer, memory);
    });
}

int nereus_array_cut(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements, const nereus_cut *cut,
                     enum nereus_kind kind, void **pointer, const nereus_memory *memory) {
    return nereus_array_distributed(job, name, type, elements, cut, kind, pointer, memory);
}

int nereus_array_of(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements, enum nereus_layout layout,
                    enum nereus_kind kind, void **pointer, const nereus_memory *memory) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    const nereus_memory own = memory == nullptr ? nereus::job::c_memory() : *memory;
    return guarded(job, [&] {
        return add_array(job, describe_array(name, type, elements, simple_distribution(layout), kind), pointer, &own);
    });
}

int nereus_matrix_csr(nereus_job *job, const char *name, MPI_Datatype type, int64_t rows, int64_t nonzeros,
                      const nereus_distribution *distribution, enum nereus_kind kind, nereus_matrix *matrix) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&]() -> Done {
        auto parts = describe_matrix(name, type, rows,
                                     distribution != nullptr ? *distribution : simple_distribution(NEREUS_BLOCK), kind);
        if (!parts) return tl::unexpected(parts.error());
        if (matrix == nullptr) return failed(NEREUS_ERR_ARGUMENT, "matrix is NULL");
        return job->inside->data().add_matrix(*parts, nonzeros, matrix);
    });
}

int nereus_value(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements, void *value) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&]() -> Done {
        auto is = describe(name, type, 1, elements, nereus::job::most_in_value);
        if (!is) return tl::unexpected(is.error());
        if (value == nullptr) return failed(NEREUS_ERR_ARGUMENT, "value is NULL");
        is->value = true;
        return job->inside->data().add_value(*is, value);
    });
}

int nereus_forget(nereus_job *job, const char *name) {
    if (!usable(job) || name == nullptr) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&] { return job->inside->data().forget(name); });
}

int nereus_swap(nereus_job *job, const char *one, const char *other) {
    if (!usable(job) || one == nullptr || other == nullptr) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&] { return job->inside->data().swap(one, other); });
}

int nereus_change_distribution(nereus_job *job, const char *name, const nereus_distribution *distribution) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&] {
        const std::string array = name == nullptr ? "" : name;
        return job->inside->distribute(array, shape_for(*job->inside, array, distribution));
    });
}

int nereus_array_distribution(nereus_job *job, const char *name, nereus_distribution *distribution) {
    if (!usable(job) || distribution == nullptr) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&]() -> Done {
        const auto *entry = name == nullptr ? nullptr : job->inside->state().registry.find(name);
        if (entry == nullptr || entry->is.value) return failed(NEREUS_ERR_NAME, "there is no such array");
        if (!entry->is.rows_of.empty())
            return failed(NEREUS_ERR_UNSUPPORTED, '"' + entry->is.name + "\" lies as the rows of its matrix do");
        const nereus::plan::Shape &shape = entry->is.shape;
        auto &weights = job->weights[name];
        weights.assign(shape.weights.begin(), shape.weights.end());
        *distribution = {static_cast<nereus_layout>(shape.layout),
                         weights.empty() ? nullptr : weights.data(),
                         static_cast<int>(weights.size()),
                         shape.block,
                         shape.rows,
                         shape.columns,
                         shape.block_rows,
                         shape.block_columns,
                         shape.grid_rows,
                         shape.grid_columns};
        return {};
    });
}

int64_t nereus_count(const nereus_job *job, const char *name) {
    return about(job, name,
                 [](const nereus::plan::Distribution &distribution, int rank) { return distribution.count_of(rank); });
}

int64_t nereus_first(const nereus_job *job, const char *name) {
    return about(job, name, [](const nereus::plan::Distribution &distribution, int rank) -> std::int64_t {
        return distribution.contiguous() ? distribution.range_of(rank).first : std::int64_t{NEREUS_ERR_UNSUPPORTED};
    });
}

int64_t nereus_locate(const nereus_job *job, const char *name, int64_t element, int *rank) {
    return about(job, name, [&](const nereus::plan::Distribution &distribution, int own) -> std::int64_t {
        if (element < 0 || element >= distribution.elements()) return NEREUS_ERR_RANGE;
        const nereus::plan::Spot spot = distribution.place_of(element);
        if (rank != nullptr) *rank = distribution.layout() == nereus::plan::Layout::replicated ? own : spot.rank;
        return spot.place;
    });
}

int64_t nereus_place(const nereus_job *job, const char *name, int64_t element, int *rank) {
    return nereus_locate(job, name, element, rank);
}
}
