# SPDX-License-Identifier: BSD-3-Clause
"""From the times of an application's calls to an experiment that does the same: docs/reference/capture.md."""

from nereus.capture.captured import Captured, Wishes, capture, name_of
from nereus.capture.error import CaptureError, NoPatternError
from nereus.capture.trace import read_traces

__all__ = ["CaptureError", "Captured", "NoPatternError", "Wishes", "capture", "name_of", "read_traces"]
