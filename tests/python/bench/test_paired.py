# SPDX-License-Identifier: BSD-3-Clause
"""What is made of pairs of times without something and with it."""

import pytest

from nereus.bench.paired import LEVEL, Paired

ALIKE = [1.00, 1.10, 0.95, 1.05, 1.02, 0.98, 1.01, 1.07]


def test_constant_addition_is_told_from_noise_of_pairs() -> None:
    """Each pair shares what disturbs it, so a hundredth is seen beside disturbances of a tenth."""
    paired = Paired(ALIKE, [value + 0.01 + 0.0001 * place for place, value in enumerate(ALIKE)])
    assert paired.p_value is not None and paired.p_value < LEVEL
    assert paired.added == pytest.approx(0.01, abs=0.001)
    assert paired.overhead_percent == pytest.approx(1.0, abs=0.1)
    assert paired.interval_percent is not None
    low, high = paired.interval_percent
    assert 0 < low <= paired.overhead_percent <= high


def test_noise_is_no_difference() -> None:
    paired = Paired(ALIKE, [*ALIKE[1:], ALIKE[0]])
    assert paired.p_value is not None and paired.p_value > LEVEL


@pytest.mark.parametrize("count", [1, 2, 5])
def test_few_pairs_have_no_interval(count: int) -> None:
    paired = Paired(ALIKE[:count], [1.2 * value for value in ALIKE[:count]])
    assert paired.interval_percent is None
    assert (paired.p_value is None) is (count == 1)
    assert paired.overhead_percent == pytest.approx(20)


@pytest.mark.parametrize("added", [0.0, 0.01])
def test_equal_differences_have_no_p_value(added: float) -> None:
    """As of programs that print hundredths of a second: that they are equal says nothing."""
    assert Paired(ALIKE, [value + added for value in ALIKE]).p_value is None
