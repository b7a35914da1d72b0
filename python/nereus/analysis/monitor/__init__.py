# SPDX-License-Identifier: BSD-3-Clause
"""What the monitor recorded of a run: read, told by pairs of processes, shown, written for other tools.

In:  the file of a run (docs/formats/monitor.md), or Open MPI's own `.prof` files.
Out: see docs/formats/monitor.md.
`record` begins and ends the file. `reader` makes a `Recording` (model) from lines (events); `flows` makes of
it what each pair moved; every other file makes one kind of output from these two.
"""
