# SPDX-License-Identifier: BSD-3-Clause
"""What the page of one job is told: its status, resizes, stages, and who sends to whom."""
