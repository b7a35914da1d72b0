# SPDX-License-Identifier: BSD-3-Clause
"""The daemon: hears many jobs, asks the policy, tells them who may write and who gets which cores.

In:  messages of jobs (docs/formats/daemon.md), questions on the control socket `daemon.control`.
Out: turns, commands, answers; what is to outlive the daemon is in its store before anybody is told of it.
What is decided is decided in `policy`; here are sockets, the clock and files. Who only asks the daemon has
here what that takes; the daemon itself, which needs much more, is nereus.daemon.daemon.
"""

from nereus.daemon.client import (
    Ask,
    all_events,
    ask_daemon,
    named_events,
    whole_status,
)
from nereus.daemon.error import DaemonError, NoDaemon

__all__ = [
    "Ask",
    "DaemonError",
    "NoDaemon",
    "all_events",
    "ask_daemon",
    "named_events",
    "whole_status",
]
