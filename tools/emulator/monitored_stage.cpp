// SPDX-License-Identifier: BSD-3-Clause
#include "monitored_stage.hpp"

#include <dlfcn.h>
#include <nereus/monitor.h>

namespace emulator {
namespace {

void enter(const char *name) {
    static const auto tell =
        reinterpret_cast<decltype(&nereus_monitor_state)>(dlsym(RTLD_DEFAULT, "nereus_monitor_state"));
    if (tell) tell("stage", name);
}

} // namespace

MonitoredStage::MonitoredStage(const char *name) { enter(name); }
MonitoredStage::~MonitoredStage() { enter(nullptr); }

} // namespace emulator
