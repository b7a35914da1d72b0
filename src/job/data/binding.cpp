// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/binding.hpp"

#include <cstring>

namespace nereus::job {
namespace {

Error no_memory(const Description &is, std::int64_t bytes) {
    return {NEREUS_ERR_MEMORY, "no memory for " + std::to_string(bytes) + " B of \"" + is.name + "\""};
}

Done move_to(Entry &entry, std::int64_t bytes, const nereus_memory &memory) {
    void *own = nullptr;
    if (bytes > 0) {
        own = memory.allocate(static_cast<std::size_t>(bytes), memory.context);
        if (own == nullptr) return tl::unexpected(no_memory(entry.is, bytes));
        std::memcpy(own, entry.data, static_cast<std::size_t>(bytes));
    }
    entry.release(entry.data);
    entry.data = own;
    entry.memory = memory;
    entry.owned = false;
    return {};
}

}

Done allocate_zeroed(Entry &entry, std::int64_t count) {
    const std::int64_t bytes = count * entry.is.extent;
    if (bytes == 0) return {};
    entry.data = entry.memory.allocate(static_cast<std::size_t>(bytes), entry.memory.context);
    if (entry.data == nullptr) return tl::unexpected(no_memory(entry.is, bytes));
    std::memset(entry.data, 0, static_cast<std::size_t>(bytes));
    return {};
}

Done bind_array(Entry &entry, std::int64_t count, void **pointer, const nereus_memory *own_memory) {
    if (own_memory != nullptr)
        if (auto done = move_to(entry, count * entry.is.extent, *own_memory); !done) return done;
    entry.pointer = pointer;
    entry.point();
    return {};
}

void bind_value(Entry &entry, void *value) {
    std::memcpy(value, entry.data, static_cast<std::size_t>(entry.is.bytes()));
    entry.release(entry.data);
    entry.data = value;
    entry.owned = false;
}

}
