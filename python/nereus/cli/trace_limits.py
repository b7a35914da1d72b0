# SPDX-License-Identifier: BSD-3-Clause
"""Options of `nereus trace` that limit what is recorded."""

import re
from typing import Annotated

import typer

from nereus.analysis.trace.call_names import named_calls
from nereus.analysis.trace.settings import TraceSettings
from nereus.cli.messages import Refused
from nereus.config.quantities import bytes_of

_MOST_BYTES = 2**62
_MOST_RANK, _MOST_ITERATION = 2**31 - 1, 2**63 - 1

CallsOption = Annotated[
    str | None,
    typer.Option(
        "--calls",
        metavar="NAMES",
        help="Only these calls: names without MPI_, or point-to-point, collective, one-sided, file.",
    ),
]
MinBytesOption = Annotated[
    str,
    typer.Option("--min-bytes", metavar="BYTES", help="Leave out messages and transfers that are smaller."),
]
RanksOption = Annotated[
    str | None,
    typer.Option("--ranks", metavar="LIST", help="Only these ranks of MPI_COMM_WORLD: 0-3,8."),
]
IterationsOption = Annotated[
    str | None,
    typer.Option(
        "--iterations", metavar="FROM-TO", help="Record in these iterations of a malleable job: 100-120."
    ),
]
AroundResizesOption = Annotated[
    float | None,
    typer.Option(
        "--around-resizes",
        min=0.0,
        max=86400.0,
        metavar="SECONDS",
        help="Record during each resize, and for so long after it.",
    ),
]
PausedOption = Annotated[
    bool, typer.Option("--paused", help="Record only when `nereus trace JOB --for` asks for it.")
]


def limits_of(
    calls: str | None,
    min_bytes: str,
    ranks: str | None,
    iterations: str | None,
    around_resizes: float | None,
    paused: bool,
) -> TraceSettings:
    """Refused where one is not allowed."""
    return TraceSettings(
        None if calls is None else _calls(calls),
        _bytes(min_bytes),
        None if ranks is None else _ranges("--ranks", ranks, _MOST_RANK),
        None if iterations is None else _range("--iterations", iterations, _MOST_ITERATION),
        around_resizes,
        paused,
    )


def _calls(text: str) -> list[str]:
    try:
        return named_calls(text)
    except ValueError as problem:
        raise Refused(f"--calls = {text}: {problem}") from None


def _bytes(text: str) -> int:
    try:
        count = int(text) if text.isascii() and text.isdigit() else bytes_of(text)
    except ValueError as problem:
        raise Refused(f"--min-bytes = {text}: {problem}; allowed is a size such as 1000 or 64KiB") from None
    if not isinstance(count, int) or not 0 <= count <= _MOST_BYTES:
        raise Refused(f"--min-bytes = {text}: allowed is a size from 0 to 2^62 B")
    return count


def _ranges(option: str, text: str, most: int) -> str:
    for part in text.split(","):
        _range(option, part, most, text)
    return text


def _range(option: str, text: str, most: int, whole: str | None = None) -> str:
    found = re.fullmatch(r"([0-9]{1,19})(?:-([0-9]{1,19}))?", text, re.ASCII)
    first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not first <= last <= most:
        allowed = f"allowed are numbers from 0 to {most}, and ranges such as 4-7"
        raise Refused(f"{option} = {whole or text}: {allowed}")
    return text
