# SPDX-License-Identifier: BSD-3-Clause
from nereus import UserError


class FramesError(UserError):
    """A path that cannot be loaded, or where frames cannot be saved: the text says what is allowed."""
