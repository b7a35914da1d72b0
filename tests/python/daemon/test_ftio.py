# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a second opinion about a job of which ours is unsure."""

import importlib.util
from typing import Any

import numpy as np
import pytest

from nereus.daemon.error import DaemonError
from nereus.daemon.ftio_period import bandwidth, opinion

has_ftio = importlib.util.find_spec("ftio") is not None


def wrote(start: float, wait: float, service: float, size: int = 100) -> dict[str, Any]:
    return {"start_unix": start, "wait_seconds": wait, "service_seconds": service, "bytes": size}


def test_waiting_time_is_excluded_from_bandwidth() -> None:
    times, rates = bandwidth([wrote(1000.0, 0.0, 2.0), wrote(1020.0, 5.0, 2.0), wrote(1045.0, 0.0, 2.0)])
    assert np.allclose(times, [0, 2, 20, 22, 40, 42])
    assert np.allclose(rates, [50, 0, 50, 0, 50, 0])


def test_too_few_phases_have_no_period() -> None:
    with pytest.raises(DaemonError, match="2 I/O phases"):
        opinion([wrote(0.0, 0.0, 1.0), wrote(10.0, 0.0, 1.0)])


@pytest.mark.skipif(has_ftio, reason="FTIO is installed")
def test_missing_ftio_is_reported_with_installation_command() -> None:
    with pytest.raises(DaemonError, match="pip install ftio-hpc"):
        opinion([wrote(10.0 * number, 0.0, 1.0) for number in range(5)])


@pytest.mark.skipif(not has_ftio, reason="FTIO is not installed (pip install ftio-hpc)")
def test_ftio_finds_the_period_of_a_regular_job() -> None:
    found = opinion([wrote(20.0 * number, 0.0, 2.0) for number in range(10)])
    assert found.period == pytest.approx(20.0, rel=0.05)
    assert found.confidence > 0.5
