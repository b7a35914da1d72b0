# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a trace, or with where it is to be written."""

from nereus import UserError


class TraceError(UserError):
    """A trace that cannot be read or exported; the text says what was found and what is allowed."""
