# SPDX-License-Identifier: BSD-3-Clause
"""In which order waiting jobs start: one file for each order, and a row in the registry."""
