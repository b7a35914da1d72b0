# SPDX-License-Identifier: BSD-3-Clause
"""The one error of this room."""

from nereus import UserError


class LaunchError(UserError):
    """A job cannot be started here; the text is one sentence that says why and what helps."""
