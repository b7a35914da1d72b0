# SPDX-License-Identifier: BSD-3-Clause
"""Figures as people read them: three digits and a unit; "-" where one is not known.

Whatever the commands print is written here, so that a quantity looks the same wherever it stands.
"""

from collections.abc import Callable

TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
#: What is no less is printed as 1 of the unit, with three digits.
_ROUNDED = 0.9995
_MOST_MORE = 2  # decimals of a deviation, beside those of its median
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def time_unit(seconds: float) -> tuple[float, str]:
    """The unit in which a time is best told: its length in seconds and its sign."""
    reached = (unit for unit in TIMES if abs(seconds) >= _ROUNDED * unit[0])
    return next(reached, TIMES[-1] if seconds else TIMES[0])


def seconds_text(seconds: float | None) -> str:
    """0.0123 -> "12.3 ms"; "-" when not known."""
    if seconds is None:
        return "-"
    length, sign = time_unit(seconds)
    return f"{_digits(seconds / length)} {sign}"


def spread_text(median: float | None, deviation: float | None) -> str:
    """Of seconds: 0.0123 and 0.0004 -> "12.3 ± 0.4 ms"."""
    if median is None or deviation is None:
        return "-"
    length, sign = time_unit(median or deviation)
    decimals = _decimals_of_both(median / length, deviation / length)
    return f"{median / length:.{decimals}f} ± {deviation / length:.{decimals}f} {sign}"


def range_text(text: Callable[[float], str], middle: float, low: float, high: float) -> str:
    """A figure, and between what it lies: "1.25 s (1.20 s to 1.31 s)"."""
    return f"{text(middle)} ({text(low)} to {text(high)})"


def duration_text(seconds: float) -> str:
    """For waiting people: 4000 -> "1:06:40", 75 -> "1:15"."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def bytes_text(count: int) -> str:
    """1536 -> "1.50 KiB"."""
    value, sign = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if value < _ROUNDED * 1024:
            break
        value, sign = value / 1024, larger
    return f"{count} B" if sign == "B" else f"{_digits(value)} {sign}"


def amount_text(value: float | None, unit: str) -> str:
    """With prefixes of powers of 1000: 2.05e9 and "B/s" -> "2.05 GB/s"."""
    if value is None:
        return "-"
    factor, prefix = next((each for each in _PREFIXES if abs(value) >= _ROUNDED * each[0]), (1.0, ""))
    return f"{_digits(value / factor)} {prefix}{unit}"


def frequency_text(count: float) -> str:
    """Of messages and other things that are counted: 12.3 -> "12/s"."""
    return f"{count:.0f}/s"


def ranks_text(ranks: int) -> str:
    """1 -> "1 rank"."""
    return "1 rank" if ranks == 1 else f"{ranks} ranks"


def count_text(count: float | None) -> str:
    """Of things that are counted, on average: 38.25 -> "38.3"."""
    return "-" if count is None else f"{count:.3g}" if count < 1000 else f"{count:.0f}"


def percent_text(share: float | None) -> str:
    """0.0438 -> "4.38 %"."""
    return "-" if share is None else f"{_digits(100 * share)} %"


def change_text(share: float | None) -> str:
    """What is more, or less: 0.0438 -> "+4.38 %"."""
    text = percent_text(share)
    return text if text.startswith("-") else f"+{text}"


def ratio_text(ratio: float | None) -> str:
    """Of two figures, where a thousandth counts: "1.024"."""
    return "-" if ratio is None else f"{ratio:.3f}"


def p_text(value: float | None) -> str:
    """Of a test: 0.0312 -> "0.031"."""
    return "-" if value is None else f"{value:.2g}"


def _digits(value: float) -> str:
    text = f"{value:.{_decimals(value)}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _decimals_of_both(median: float, deviation: float) -> int:
    """Those of the median, and more where the deviation would have no digit else."""
    decimals = _decimals(median)
    more = (each for each in range(decimals, decimals + _MOST_MORE) if round(deviation, each) > 0)
    return next(more, decimals + _MOST_MORE if deviation > 0 else decimals)


def _decimals(value: float) -> int:
    return 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
