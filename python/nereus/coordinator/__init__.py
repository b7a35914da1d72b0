# SPDX-License-Identifier: BSD-3-Clause
"""What all jobs have and want, and how a policy's decisions become commands to them.

In:  what jobs say (phases, sizes, ends), cores that are free, a policy.
Out: turns that are granted, resizes to be made.
No clock, no socket, no file: the daemon and the simulation run the same code.
"""
