# SPDX-License-Identifier: BSD-3-Clause
"""Results of runs, and of programs that were watched: files to tables, pictures and experiments."""
