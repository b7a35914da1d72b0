# SPDX-License-Identifier: BSD-3-Clause
"""The one error of this room."""

from nereus import UserError


class RunError(UserError):
    """A run cannot be made, and nothing was started; the text is one sentence that says why."""
