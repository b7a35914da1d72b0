// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/activities.hpp"

#include "pmpi/traced.hpp"

#include <mutex>
#include <set>
#include <string>

namespace nereus::pmpi {
namespace {

constexpr std::size_t longest_activity = 15;
constexpr char separator = ':';

/// Texts of marks, which the trace knows by their places: they stay there.
class Marks {
public:
    const char *text_of(std::string_view activity, std::string_view state) {
        std::string text(activity);
        text += separator;
        text += state;
        text.resize(std::min(text.size(), monitor::EventRing::name_bytes - 1));
        const std::lock_guard lock(guard_);
        if (texts_.size() < monitor::EventRing::most_names) return texts_.insert(std::move(text)).first->c_str();
        const auto known = texts_.find(text);
        return known == texts_.end() ? "other:" : known->c_str();
    }

private:
    std::mutex guard_;
    std::set<std::string> texts_;
};

Marks &marks() {
    static auto *of_this_process = new Marks;
    return *of_this_process;
}

}

bool is_activity(std::string_view name) {
    return !name.empty() && name.size() <= longest_activity && name.find(separator) == std::string_view::npos;
}

bool enter_state(std::string_view activity, std::string_view state) {
    Traced *const to = trace();
    if (!to) return false;
    monitor::RecordingWindows &windows = to->windows();
    const bool is_resize = activity == resize_activity;
    if (is_resize) state.empty() ? windows.resize_ended(to->now().wall) : windows.resize_goes_on();
    const char *const text = marks().text_of(activity, state);
    is_resize ? to->mark(text, 0) : to->mark_often(text, 0);
    return true;
}

bool begin_iteration(std::uint64_t number) {
    Traced *const to = trace();
    if (!to) return false;
    to->windows().iteration_begins(number);
    to->mark_often("iteration", number);
    return true;
}

}
