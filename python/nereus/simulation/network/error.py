# SPDX-License-Identifier: BSD-3-Clause
"""What is said of simulations that cannot be made, and of those that were ended."""

from nereus import UserError


class SmpiError(UserError):
    """One line: where, what stands there, what is allowed."""


class Stopped(Exception):
    """The user wants an end."""
