# SPDX-License-Identifier: BSD-3-Clause
"""The one error of this room."""

from nereus import UserError


class BuildingError(UserError):
    """There can be no build for that MPI; nothing was installed. The text is one line that says why."""
