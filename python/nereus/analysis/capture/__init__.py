# SPDX-License-Identifier: BSD-3-Clause
"""From the times of an application's calls to an experiment that does the same: docs/reference/capture.md."""

from nereus.analysis.capture.captured import Captured, Wishes, capture, name_of
from nereus.analysis.capture.error import CaptureError, NoPatternError
from nereus.analysis.capture.text import text_of
from nereus.analysis.capture.trace import Trace, read_traces

__all__ = [
    "CaptureError",
    "Captured",
    "NoPatternError",
    "Trace",
    "Wishes",
    "capture",
    "name_of",
    "read_traces",
    "text_of",
]
