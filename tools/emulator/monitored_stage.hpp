// SPDX-License-Identifier: BSD-3-Clause
// Tells the monitor, where it is loaded, which stage runs, so that traces show it.
#pragma once

namespace emulator {

class MonitoredStage {
public:
    explicit MonitoredStage(const char *name);
    ~MonitoredStage();
    MonitoredStage(const MonitoredStage &) = delete;
    MonitoredStage &operator=(const MonitoredStage &) = delete;
};

} // namespace emulator
