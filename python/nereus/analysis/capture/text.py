# SPDX-License-Identifier: BSD-3-Clause
"""The file of a captured experiment: our TOML, and what a reader should know of it in comments above."""

import shlex
from collections.abc import Sequence

from nereus import printable
from nereus.analysis.capture.captured import Captured
from nereus.config import write_toml


def text_of(captured: Captured, command: Sequence[str]) -> str:
    """`command`: by which the application was started."""
    comments = [f"Captured from: {shlex.join(command)}", *(f"Note: {line}." for line in captured.warnings)]
    if not (captured.experiment.data.constant_bytes or captured.experiment.data.variable_bytes):
        comments.append(
            "Which data it keeps is not known: set it with --constant-bytes and --variable-bytes."
        )
    # Whatever is in one of them stays on its line, or it would be read as TOML.
    lines = "".join(f"# {printable(text)}\n" for text in comments)
    return lines + write_toml(captured.experiment)
