# SPDX-License-Identifier: BSD-3-Clause
"""The one error of this room."""

from nereus import UserError


class StudyError(UserError):
    """A study or one of its runs cannot be used; the text is one sentence that says where and why."""
