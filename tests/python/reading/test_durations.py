# SPDX-License-Identifier: BSD-3-Clause
"""Lengths of time as people write them."""

import pytest

from nereus.reading.durations import seconds_in


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90.0), ("1.5h", 5400.0), ("10min", 600.0), ("10 min", 600.0), ("2d", 172800.0), ("0.5s", 0.5)],
)
def test_duration_is_seconds_or_has_a_unit(text: str, seconds: float) -> None:
    assert seconds_in(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "0", "-1", "10m", "min", "1e3", "inf", "nan", "10 minutes", "12d", "1h30"]
)
def test_duration_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="allowed"):
        seconds_in(text)
