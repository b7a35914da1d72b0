// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/machine.hpp"

#include "base/printable.hpp"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <hwloc.h>
#include <memory>
#include <regex>
#include <string_view>
#include <unistd.h>

namespace nereus::place {
namespace {

struct Destroy {
    void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;
using Objects = std::vector<hwloc_obj_t>;

constexpr std::size_t most_xml_bytes = std::size_t{64} << 20;

/// hwloc's own files name its DTD and no other; a DTD of anybody else's ends hwloc by a signal. An encoding that
/// would hide one from us is refused too.
bool is_of_hwloc(const std::string &xml) {
    static const std::regex declared(R"(<\?xml[^>]*encoding=["'](?!utf-8["'])[^>]*>)",
                                     std::regex::icase | std::regex::optimize);
    static const std::regex own(R"(<!DOCTYPE\s+topology\s+SYSTEM\s+"hwloc2?\.dtd"\s*>)");
    const std::string_view text(xml);
    const std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
    const std::size_t bracket = text.find_first_not_of(" \t\r\n", begin);
    if (text.find('\0') != text.npos || bracket == text.npos || text[bracket] != '<') return false;
    const std::size_t first = text.find("<!DOCTYPE");
    const std::string head(text.substr(0, std::min<std::size_t>(text.size(), 4096)));
    if (std::regex_search(head, declared)) return false;
    if (first == text.npos) return text.find("<!ENTITY") == text.npos;
    return first < 4096 && std::regex_search(head, own) && text.find("<!DOCTYPE", first + 1) == text.npos &&
           text.find("<!ENTITY") == text.npos;
}

Result<std::string> read_xml(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return failed(NEREUS_ERR_ARGUMENT, file + ": cannot be read");
    std::string xml(most_xml_bytes + 1, '\0');
    in.read(xml.data(), static_cast<std::streamsize>(xml.size()));
    xml.resize(static_cast<std::size_t>(in.gcount()));
    if (xml.size() > most_xml_bytes)
        return failed(NEREUS_ERR_ARGUMENT,
                      file + ": has more than " + std::to_string(most_xml_bytes) + " bytes, which are allowed");
    if (!is_of_hwloc(xml))
        return failed(NEREUS_ERR_ARGUMENT, file + ": allowed is UTF-8 as lstopo writes it, with no DTD but hwloc's");
    return xml;
}

Done give(hwloc_topology_t topology, const std::string &file) {
    const auto xml = read_xml(file);
    if (!xml) return tl::unexpected(xml.error());
    // With the zero at its end, as hwloc wants it.
    if (hwloc_topology_set_xmlbuffer(topology, xml->c_str(), static_cast<int>(xml->size() + 1)) != 0)
        return failed(NEREUS_ERR_ARGUMENT, file + ": not a valid hwloc topology");
    return {};
}

std::string being_read;

extern "C" void damaged(int) {
    constexpr std::string_view said = ": not a valid hwloc topology\n";
    (void)!write(STDERR_FILENO, being_read.data(), being_read.size());
    (void)!write(STDERR_FILENO, said.data(), said.size());
    _exit(2);
}

/// What is damaged in other ways can end hwloc by a signal: nothing of ours is lost by that but the answer.
void expect_damage(const std::string &file) {
    being_read = printable(file);
    for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) std::signal(number, damaged);
    setenv("HWLOC_HIDE_ERRORS", "2", 1);
}

Result<Topology> load(const WhichMachine &which) {
    if (!which.xml.empty()) expect_damage(which.xml);
    hwloc_topology_t made = nullptr;
    hwloc_topology_init(&made);
    Topology topology(made);
    hwloc_topology_set_all_types_filter(made, HWLOC_TYPE_FILTER_KEEP_STRUCTURE);
    hwloc_topology_set_type_filter(made, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
    if (!which.xml.empty())
        if (const auto given = give(made, which.xml); !given) return tl::unexpected(given.error());
    if (!which.synthetic.empty() && hwloc_topology_set_synthetic(made, which.synthetic.c_str()) != 0)
        return failed(NEREUS_ERR_ARGUMENT, which.synthetic + ": is no synthetic topology of hwloc");
    if (hwloc_topology_load(made) != 0)
        return failed(NEREUS_ERR_ARGUMENT, which.xml + which.synthetic + ": not a valid hwloc topology");
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
