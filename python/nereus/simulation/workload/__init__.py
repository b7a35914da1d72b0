# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that wait for a whole machine, on simulated time: in which order they start, on how many cores.

In:  a workload (docs/formats/workload.md) or a trace of jobs, start orders, strategies.
Out: when each job started and ended, and what a site looks at: waits, slowdowns, utilisation.
Events are ends and submissions of jobs alone, so that a hundred thousand jobs take seconds. What jobs do in
between, their iterations and I/O, is simulated by the room `jobs`.
"""
