# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: I/O times that a store with that bandwidth really has."""

from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simpy import Environment, Event

from nereus.simulation.jobs.storage import Storage

Write = tuple[float, float, float | None]  # when, bytes, highest rate


def times(writes: list[Write], bandwidth: float, loss: float = 0.0) -> list[float]:
    """Seconds that each takes."""
    env = Environment()
    storage = Storage(env, bandwidth, loss)
    taken = [0.0] * len(writes)

    def writer(index: int, begin: float, amount: float, most: float | None) -> Generator[Event, Any, None]:
        yield env.timeout(begin)
        yield storage.write(amount, most)
        taken[index] = env.now - begin

    for index, write in enumerate(writes):
        env.process(writer(index, *write))
    env.run()
    return taken


@pytest.mark.parametrize("delay", [0.0, 2.0, 5.0, 8.0, 12.0])
def test_two_simultaneous_writers_take_the_time_of_figure_1_of_the_paper(delay: float) -> None:
    """8 s alone; twice as long together; the later they meet the less."""
    first, second = times([(0, 80, None), (delay, 80, None)], 10)
    expected = 16 - min(delay, 8.0)
    assert first == pytest.approx(expected)
    assert second == pytest.approx(expected)


def test_bandwidth_unused_by_a_slow_writer_goes_to_others() -> None:
    assert times([(0, 20, 2), (0, 80, None)], 10) == pytest.approx([10, 10])


def test_contention_costs_the_given_loss() -> None:
    assert times([(0, 40, None), (0, 40, None)], 10, loss=0.2) == pytest.approx([10, 10])
    assert times([(0, 40, None)], 10, loss=0.2) == pytest.approx([4])


writes = st.tuples(st.floats(0, 100), st.floats(1e-3, 1e6), st.none() | st.floats(0.1, 50))


@settings(deadline=None)
@given(st.lists(writes, min_size=1, max_size=8))
def test_everything_is_written_within_the_bandwidth_limits(given: list[Write]) -> None:
    taken = times(given, 10)
    for (_, amount, most), seconds in zip(given, taken, strict=True):
        assert seconds >= amount / min(10, most or 10) * (1 - 1e-6)
    last = max(begin + seconds for (begin, _, _), seconds in zip(given, taken, strict=True))
    assert last - min(begin for begin, _, _ in given) >= sum(amount for _, amount, _ in given) / 10 * (
        1 - 1e-6
    )
