# SPDX-License-Identifier: BSD-3-Clause
"""What is said of traffic, topologies and mappings that cannot be used."""

from nereus import UserError


class PlaceError(UserError):
    """One line: where, what stands there, what is allowed."""
