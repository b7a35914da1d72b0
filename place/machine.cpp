// SPDX-License-Identifier: BSD-3-Clause
#include "place/machine.hpp"

#include <algorithm>
#include <cctype>
#include <hwloc.h>
#include <memory>

namespace nereus::place {
namespace {

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;
using Objects = std::vector<hwloc_obj_t>;

Result<Topology> load(const WhichMachine &which) {
    hwloc_topology_t made = nullptr;
    hwloc_topology_init(&made);
    Topology topology(made);
    hwloc_topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_type_filter(made, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (!which.xml.empty() && hwloc_topology_set_xml(made, which.xml.c_str()) != 0)
        return failed(NEREUS_ERR_ARGUMENT, which.xml + ": is no topology of hwloc");
    if (!which.synthetic.empty() && hwloc_topology_set_synthetic(made, which.synthetic.c_str()) != 0)
        return failed(NEREUS_ERR_ARGUMENT, which.synthetic + ": is no synthetic topology of hwloc");
    if (hwloc_topology_load(made) != 0)
        return failed(NEREUS_ERR_ARGUMENT, which.xml + which.synthetic + ": hwloc cannot load it");
    return topology;
}

std::string name_of(hwloc_topology_t topology, int depth) {
    std::string name = hwloc_obj_type_string(hwloc_get_depth_type(topology, depth));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
}

/// Where an object has no children at the next depth, it stands there for itself, until its own come.
Objects children_of(hwloc_topology_t topology, hwloc_obj_t object, int depth, int last) {
    if (object->depth > depth) return {object};
    Objects children;
    for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling)
        if (child->depth == last || hwloc_get_nbobjs_inside_cpuset_by_depth(topology, child->cpuset, last) > 0)
            children.push_back(child);
    return children;
}

Inside walk(hwloc_topology_t topology, int last) {
    Inside inside;
    Objects objects{hwloc_get_root_obj(topology)};
    for (int depth = 0; depth < last; ++depth) {
        Objects below;
        std::vector<int> numbers;
        for (hwloc_obj_t object : objects) {
            const Objects children = children_of(topology, object, depth, last);
            numbers.push_back(static_cast<int>(children.size()));
            below.insert(below.end(), children.begin(), children.end());
        }
        if (below.size() > objects.size() || depth + 1 == last) {
            inside.levels.push_back(name_of(topology, depth + 1));
            inside.children.push_back(std::move(numbers));
        }
        objects = std::move(below);
    }
    for (hwloc_obj_t slot : objects) inside.processors.push_back(hwloc_bitmap_first(slot->cpuset));
    return inside;
}

}

Result<Inside> inside_of(const WhichMachine &which) {
    const auto topology = load(which);
    if (!topology) return tl::unexpected(topology.error());
    int last = which.by_thread ? HWLOC_TYPE_DEPTH_UNKNOWN : hwloc_get_type_depth(topology->get(), HWLOC_OBJ_CORE);
    if (last < 0) last = hwloc_get_type_depth(topology->get(), HWLOC_OBJ_PU);
    return walk(topology->get(), last);
}

}
