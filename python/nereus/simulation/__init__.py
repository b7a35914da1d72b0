# SPDX-License-Identifier: BSD-3-Clause
"""What would come of runs: jobs, transfers and placements on simulated time, and the same live."""
