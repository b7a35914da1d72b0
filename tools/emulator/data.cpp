// SPDX-License-Identifier: BSD-3-Clause
#include "data.hpp"

#include "content.hpp"

namespace emulator {

namespace {

// One rank's part of an array.
struct Part {
    void *memory;
    std::int64_t first;
    std::int64_t count;
    std::int64_t width;
};

// Calls `use` with the part's elements as unsigned integers of their width.
template <class Use> auto with_elements(const Part &part, Use use) {
    switch (part.width) {
    case 1:
        return use(static_cast<std::uint8_t *>(part.memory));
    case 2:
        return use(static_cast<std::uint16_t *>(part.memory));
    case 4:
        return use(static_cast<std::uint32_t *>(part.memory));
    default:
        return use(static_cast<std::uint64_t *>(part.memory));
    }
}

template <class Content> void fill_part(const Part &part, Content content) {
    with_elements(part, [&](auto *elements) {
        using Element = std::remove_pointer_t<decltype(elements)>;
        for (std::int64_t i = 0; i < part.count; ++i) elements[i] = static_cast<Element>(content(part.first + i));
    });
}

template <class Content> bool part_holds(const Part &part, Content content) {
    return with_elements(part, [&](auto *elements) {
        using Element = std::remove_pointer_t<decltype(elements)>;
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < part.count; ++i)
            wrong += elements[i] != static_cast<Element>(content(part.first + i));
        return wrong == 0;
    });
}

std::int64_t elements_of(std::int64_t bytes, std::int64_t width) { return (bytes + width - 1) / width; }

MPI_Datatype type_of(std::int64_t width) {
    switch (width) {
    case 1:
        return MPI_UINT8_T;
    case 2:
        return MPI_UINT16_T;
    case 4:
        return MPI_UINT32_T;
    default:
        return MPI_UINT64_T;
    }
}

Part part_of(const nereus_job *job, const char *name, void *memory, std::int64_t width) {
    return {memory, nereus_first(job, name), nereus_count(job, name), width};
}

} // namespace

Data::Data(const Run &run, nereus_job *job)
    : job_(job), seed_(run.seed), width_(run.element_bytes),
      constant_{"emulator.constant", elements_of(run.constant_bytes, width_), NEREUS_CONSTANT},
      variable_{"emulator.variable", elements_of(run.variable_bytes, width_), NEREUS_VARIABLE} {}

int Data::open(Array &array) {
    if (array.elements == 0) return NEREUS_OK;
    return nereus_array(job_, array.name, type_of(width_), array.elements, NEREUS_BLOCK, array.kind, &array.part);
}

int Data::open() {
    const int code = open(constant_);
    return code < 0 ? code : open(variable_);
}

void Data::fill() {
    if (constant_.elements > 0)
        fill_part(part_of(job_, constant_.name, constant_.part, width_),
                  [this](std::int64_t i) { return constant_content(seed_, i); });
    if (variable_.elements > 0)
        fill_part(part_of(job_, variable_.name, variable_.part, width_),
                  [this](std::int64_t i) { return variable_content(seed_, i, -1); });
}

void Data::change(std::int64_t iteration) {
    if (variable_.elements == 0) return;
    const Part part = part_of(job_, variable_.name, variable_.part, width_);
    const std::int64_t stride = change_stride(variable_.elements);
    with_elements(part, [&](auto *elements) {
        using Element = std::remove_pointer_t<decltype(elements)>;
        for (auto i = first_changed(part.first, iteration, stride); i < part.first + part.count; i += stride)
            elements[i - part.first] = static_cast<Element>(variable_content(seed_, i, iteration));
    });
}

bool Data::is_intact(std::int64_t iterations) const {
    const std::int64_t stride = change_stride(variable_.elements);
    const bool constant =
        constant_.elements == 0 || part_holds(part_of(job_, constant_.name, constant_.part, width_),
                                              [this](std::int64_t i) { return constant_content(seed_, i); });
    const bool variable = variable_.elements == 0 ||
                          part_holds(part_of(job_, variable_.name, variable_.part, width_), [&](std::int64_t i) {
                              return variable_content(seed_, i, last_change(i, iterations, stride));
                          });
    return constant && variable;
}

} // namespace emulator
