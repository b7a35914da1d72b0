// SPDX-License-Identifier: BSD-3-Clause
#include "fields.hpp"

#include <cmath>

namespace emulator {

namespace {

const Json nothing;                           // what a missing key reads as
const Json no_elements = Json::array();       // what a refused array reads as
const Json no_members = Json::object();       // what a refused object reads as
constexpr std::size_t longest_quotation = 60; // a message stays one readable line

std::string quoted(const Json &value) {
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (text.size() > longest_quotation) text = text.substr(0, longest_quotation) + "...";
    return text;
}

std::string span(std::int64_t least, std::int64_t most) {
    return "an integer " + std::to_string(least) + " .. " + std::to_string(most);
}

bool is_within(const Json &value, std::int64_t least, std::int64_t most) {
    if (!value.is_number_integer()) return false;
    // An unsigned value above 2^63-1 would turn negative on its way into int64_t.
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) return false;
    const auto number = value.get<std::int64_t>();
    return number >= least && number <= most;
}

} // namespace

void Complaint::say(const std::string &key, const std::string &found, const std::string &allowed) {
    if (!first_) first_ = key + ": found " + found + ", allowed " + allowed;
}

Fields::Fields(const Json &object, std::string path, Complaint &complaint)
    : object_(object.is_object() ? object : no_members), path_(std::move(path)), complaint_(complaint) {
    if (!object.is_object()) complaint_.say(path_.empty() ? "document" : path_, quoted(object), "an object");
}

const Json &Fields::get(const char *key) {
    known_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nothing : *found;
}

void Fields::complain(const char *key, const std::string &allowed) {
    const bool there = object_.contains(key);
    complaint_.say(path_of(key), there ? quoted(object_.at(key)) : "no such key", allowed);
}

std::int64_t Fields::integer(const char *key, std::int64_t least, std::int64_t most) {
    const Json &value = get(key);
    if (is_within(value, least, most)) return value.get<std::int64_t>();
    complain(key, span(least, most));
    return least;
}

std::int64_t Fields::integer_or_null(const char *key, std::int64_t least, std::int64_t most, std::int64_t if_null) {
    const Json &value = get(key);
    if (value.is_null() && object_.contains(key)) return if_null;
    if (is_within(value, least, most)) return value.get<std::int64_t>();
    complain(key, span(least, most) + ", or null");
    return if_null;
}

double Fields::number(const char *key, bool zero_too) {
    const Json &value = get(key);
    const double number = value.is_number() ? value.get<double>() : -1.0;
    if (std::isfinite(number) && (zero_too ? number >= 0 : number > 0)) return number;
    complain(key, zero_too ? "a number, 0 or more" : "a number above 0");
    return 1.0;
}

bool Fields::boolean(const char *key) {
    const Json &value = get(key);
    if (value.is_boolean()) return value.get<bool>();
    complain(key, "true, false");
    return false;
}

std::string Fields::text(const char *key) {
    const Json &value = get(key);
    if (value.is_string()) return value.get<std::string>();
    complain(key, "a string");
    return {};
}

const Json &Fields::array(const char *key, bool empty_too) {
    const Json &value = get(key);
    if (value.is_array() && (empty_too || !value.empty())) return value;
    complain(key, empty_too ? "an array" : "an array with at least one element");
    return no_elements;
}

const Json &Fields::object(const char *key) {
    const Json &value = get(key);
    if (value.is_object()) return value;
    complain(key, "an object");
    return no_members;
}

void Fields::refuse_others() {
    std::string allowed;
    for (const std::string &key : known_) allowed += (allowed.empty() ? "" : ", ") + key;
    for (const auto &[key, value] : object_.items())
        if (!known_.contains(key)) complaint_.say(path_of(key), "an unknown key", allowed);
}

} // namespace emulator
