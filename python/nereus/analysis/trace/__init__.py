# SPDX-License-Identifier: BSD-3-Clause
"""Traces of runs by `nereus trace`: calls and messages of each process, through the generations of a job."""
