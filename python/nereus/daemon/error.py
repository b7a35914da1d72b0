# SPDX-License-Identifier: BSD-3-Clause
"""The one error of this room."""

from nereus import UserError


class DaemonError(UserError):
    """The daemon cannot be had as it is wanted; the text is one sentence that says why and what helps."""


class NoDaemon(DaemonError):
    """None is there, or it does not answer; it may be soon."""


class SilentDaemon(NoDaemon):
    """It is there, and had no time for an answer."""
