# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that wait for a whole machine, on simulated time: in which order they start, on how many cores.

In:  a workload (docs/formats/workload.md) or a trace of jobs, start orders, strategies.
Out: when each job started and ended, and what a site looks at: waits, slowdowns, utilisation.
Events are submissions and ends of jobs, failures and repairs of nodes, so that a hundred thousand jobs take
seconds. What jobs do in between, their iterations and phases of I/O, is simulated by the room `jobs`.
"""
