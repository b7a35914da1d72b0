# SPDX-License-Identifier: BSD-3-Clause
"""The first signal saves; a second one ends, but not the same one that came twice."""

import os
from signal import SIGTERM, SIGUSR1

from nereus.launch.save_signals import TOGETHER, SaveSignals


def test_signals_within_a_second_are_one() -> None:
    clock = [5.0]
    with SaveSignals([SIGTERM, SIGUSR1], lambda: clock[0]) as noted:
        assert (noted.first, noted.second) == (None, None)
        os.kill(os.getpid(), SIGUSR1)
        os.kill(os.getpid(), SIGTERM)
        clock[0] += TOGETHER - 0.1
        os.kill(os.getpid(), SIGTERM)
        assert (noted.first, noted.second) == (SIGUSR1, None)
        clock[0] += 0.1
        os.kill(os.getpid(), SIGTERM)
        os.kill(os.getpid(), SIGUSR1)
        assert (noted.first, noted.second) == (SIGUSR1, SIGTERM)
