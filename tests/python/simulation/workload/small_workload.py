# SPDX-License-Identifier: BSD-3-Clause
"""A workload that is simulated in a moment, with malleable jobs and without."""

WORKLOAD = """
cores = 16
malleable = [0, 50]
seeds = 2
[generated]
jobs = 30
every = 20.0
seconds = 300.0
most_ranks = 8
"""
