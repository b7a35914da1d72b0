# SPDX-License-Identifier: BSD-3-Clause
"""Figures as people read them: three digits and a unit."""

TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def time_unit(seconds: float) -> tuple[float, str]:
    """The unit in which a time is best told: its length in seconds and its sign."""
    return next((unit for unit in TIMES if abs(seconds) >= unit[0]), TIMES[-1] if seconds else TIMES[0])


def seconds_text(seconds: float | None) -> str:
    """0.0123 -> "12.3 ms"; "-" when not known."""
    if seconds is None:
        return "-"
    length, sign = time_unit(seconds)
    return f"{_digits(seconds / length)} {sign}"


def duration_text(seconds: float) -> str:
    """For waiting people: 4000 -> "1:06:40", 75 -> "1:15"."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def bytes_text(count: int) -> str:
    """1536 -> "1.50 KiB"."""
    value, sign = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if value < 1024:
            break
        value, sign = value / 1024, larger
    return f"{count} B" if sign == "B" else f"{_digits(value)} {sign}"


def _digits(value: float) -> str:
    decimals = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:.{decimals}f}"
