# SPDX-License-Identifier: BSD-3-Clause
"""Measures resizes and transfers: trials of methods side by side, and the costs that `auto` chooses by.

In:  a build, sizes and methods. Out: rows of figures; options and printing are the commands' own.
"""

from nereus.bench.costs import Costs, StoredCosts, stored_costs, usual_costs

__all__ = [
    "Costs",
    "StoredCosts",
    "stored_costs",
    "usual_costs",
]
