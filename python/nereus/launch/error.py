# SPDX-License-Identifier: BSD-3-Clause
"""The one error of this room."""


class LaunchError(Exception):
    """A job cannot be started here; the text is one sentence that says why and what helps."""
