# SPDX-License-Identifier: BSD-3-Clause
"""What makes a capture impossible."""

from nereus import UserError


class CaptureError(UserError):
    """What was recorded cannot be used; the text says what is wrong with it."""


class NoPatternError(CaptureError):
    """The calls do not repeat; the text says the best that was found, and how sure it is."""
