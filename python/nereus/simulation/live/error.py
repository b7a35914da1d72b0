# SPDX-License-Identifier: BSD-3-Clause
"""The one error of this room."""

from nereus import UserError


class LiveError(UserError):
    """A live study, its store or one of its runs cannot be had; the text is one sentence that says why."""
