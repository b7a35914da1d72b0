// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/activities.hpp"

#include "pmpi/traced.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <nereus/errors.h>
#include <set>
#include <string>

namespace nereus::pmpi {
namespace {

constexpr std::size_t longest_activity = 15;
constexpr char separator = ':';

/// Texts of marks, which the trace knows by their places: they stay there. Few enough that the trace has names left.
class Marks {
public:
    /// nullptr: there is no room for another activity. States for which there is none have one name.
    const char *text_of(std::string_view activity, std::string_view state) {
        const std::lock_guard lock(guard_);
        if (!activities_.contains(activity)) {
            if (activities_.size() == most_activities) return nullptr;
            activities_.emplace(activity);
        }
        if (state.empty()) return kept(activity, "");
        const char *const known = find(activity, state);
        if (known) return known;
        return states_++ < most_states ? kept(activity, state) : kept(activity, "other");
    }

private:
    static std::string text(std::string_view activity, std::string_view state) {
        std::string made(activity);
        made += separator;
        made += state;
        made.resize(std::min(made.size(), monitor::EventRing::name_bytes - 1));
        return made;
    }
    const char *find(std::string_view activity, std::string_view state) const {
        const auto found = texts_.find(text(activity, state));
        return found == texts_.end() ? nullptr : found->c_str();
    }
    const char *kept(std::string_view activity, std::string_view state) {
        return texts_.insert(text(activity, state)).first->c_str();
    }

    static constexpr std::size_t most_activities = 64, most_states = 512;
    std::mutex guard_;
    std::set<std::string, std::less<>> activities_;
    std::set<std::string> texts_;
    std::size_t states_ = 0;
};

Marks &marks() {
    static auto *of_this_process = new Marks;
    return *of_this_process;
}

}

bool is_activity(std::string_view name) {
    return !name.empty() && name.size() <= longest_activity && name.find(separator) == std::string_view::npos;
}

int enter_state(std::string_view activity, std::string_view state) {
    Traced *const to = trace();
    if (!to) return NEREUS_UNCHANGED;
    const char *const text = marks().text_of(activity, state);
    if (!text) return NEREUS_ERR_RANGE;
    monitor::RecordingWindows &windows = to->windows();
    const bool is_resize = activity == resize_activity;
    if (is_resize) state.empty() ? windows.resize_ended(to->now().wall) : windows.resize_goes_on();
    if (activity == iteration_activity && state.empty()) windows.iterations_end();
    is_resize ? to->mark(text, 0) : to->mark_often(text, 0);
    return NEREUS_OK;
}

bool begin_iteration(std::uint64_t number) {
    Traced *const to = trace();
    if (!to) return false;
    to->windows().iteration_begins(number);
    to->mark_often("iteration", number);
    return true;
}

}
