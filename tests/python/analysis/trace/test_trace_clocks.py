# SPDX-License-Identifier: BSD-3-Clause
"""Times of processes on different hosts are brought to one clock."""

from pathlib import Path

import numpy as np
import pytest
from a_trace import AProcess, two, write

from nereus.analysis.trace.clocks import Clocks
from nereus.analysis.trace.file import ProcessTrace, read_process
from nereus.analysis.trace.run import read_run


def clocks_of(folder: Path, *processes: AProcess) -> tuple[Clocks, list[ProcessTrace]]:
    write(folder, processes)
    traces = [read_process(folder / f"{process.world}-{process.rank}.trace") for process in processes]
    return Clocks(traces), traces


def shifts(clocks: Clocks, traces: list[ProcessTrace], after: int = 0) -> list[tuple[int, int]]:
    """What is added to a time of each process, so long after its begin, and how wrong that may be."""
    found = []
    for trace in traces:
        time = np.array([trace.begun + after])
        found.append((int(clocks.common(trace, time)[0] - time[0]), int(clocks.error(trace, time)[0])))
    return found


def test_processes_of_one_system_have_one_clock(tmp_path: Path) -> None:
    found = clocks_of(tmp_path, AProcess(ranks=2), AProcess(rank=1, ranks=2, begun=10**12 + 5))
    assert shifts(*found, after=10**12) == [(0, 0), (0, 0)]


def test_clock_of_another_host_is_shifted_by_what_was_measured(tmp_path: Path) -> None:
    other = AProcess(
        rank=1, ranks=2, boot="b", begun=5, clock_offset=700, clock_error=20, begun_unix=1.7e9 + 1
    )
    clocks, traces = clocks_of(tmp_path, AProcess(ranks=2, boot="a"), other)
    assert shifts(clocks, traces) == [(0, 0), (700, 20)]
    assert clocks.by_time_of_day == ()
    assert shifts(clocks, traces, after=10**9)[1] == (700, 20 + 10**5), "an error grows with the time"


def test_clocks_drift_evenly_between_begin_and_end(tmp_path: Path) -> None:
    other = AProcess(
        rank=1, ranks=2, boot="b", begun=1000, clock_offset=700, clock_error=20, at_end=(900, 30, 10**9)
    )
    clocks, traces = clocks_of(tmp_path, AProcess(ranks=2, boot="a"), other)
    assert shifts(clocks, traces)[1] == (700, 30)
    assert shifts(clocks, traces, after=5 * 10**8)[1][0] == 800
    assert shifts(clocks, traces, after=10**9)[1] == (900, 30)


def test_clocks_are_linked_over_several_worlds(tmp_path: Path) -> None:
    """The second world's rank 0 is on the host that only the first world links with the first host."""
    found = clocks_of(
        tmp_path,
        AProcess(ranks=2, boot="a"),
        AProcess(rank=1, ranks=2, boot="b", clock_offset=700, clock_error=20, begun_unix=1.7e9 + 1),
        AProcess("bbbb", 0, 2, boot="b", begun_unix=1.7e9 + 2),
        AProcess("bbbb", 1, 2, boot="c", clock_offset=-50, clock_error=3, begun_unix=1.7e9 + 3),
    )
    assert shifts(*found) == [(0, 0), (700, 20), (700, 20), (650, 24)]


def test_link_is_used_in_both_directions(tmp_path: Path) -> None:
    found = clocks_of(
        tmp_path,
        AProcess(ranks=2, boot="a", begun_unix=1.7e9 + 1),
        AProcess(rank=1, ranks=2, boot="b", clock_offset=700, clock_error=20),
    )
    shift = shifts(*found)
    assert (shift[0][0], shift[1]) == (-700, (0, 0))


def test_best_of_several_measurements_counts(tmp_path: Path) -> None:
    found = clocks_of(
        tmp_path,
        AProcess(ranks=3, boot="a"),
        AProcess(rank=1, ranks=3, boot="b", clock_offset=700, clock_error=90),
        AProcess(rank=2, ranks=3, boot="b", clock_offset=710, clock_error=8),
    )
    assert shifts(*found)[1:] == [(710, 8), (710, 8)]


def test_hosts_that_nothing_links_go_by_the_time_of_day(tmp_path: Path) -> None:
    """Their messages keep their arrows, even where times of day differ by some ms."""
    first = AProcess(boot="a").sends(10**6, 0)
    far = AProcess("bbbb", boot="b", host="far", begun=77, begun_unix=1.7e9 + 3).sends(0, 0)
    run = read_run(write(tmp_path, [first, far]))
    assert "clocks of far: brought together by the time of day only" in run.notes
    assert run.tracks[1].begin.tolist() == [3 * 10**9 - 10**6]
    assert run.tracks[1].clock_error >= 10**9


@pytest.mark.parametrize("drift", [0, 300])
def test_messages_keep_their_arrows_while_clocks_drift(tmp_path: Path, drift: int) -> None:
    """Of 100 s in which one clock goes 3 us wrong, with a latency of 1 us."""
    first, second = two()
    first.boot, second.boot = "a", "b"
    second.clock_error = 100
    second.at_end = (drift * 10, 100, 100 * 10**9) if drift else (0, 0, 0)
    for number in range(100):
        time = number * 10**9
        first.sends(10_000 + time, 1, tag=5)
        arrived = 10_000 + time + 1000 - 30 * number
        second.receives(arrived - 500, arrived, 0, 8, tag=5, number=number + 1)
    run = read_run(write(tmp_path, [first, second]))
    assert (len(run.messages), run.unmatched) == (100, 0)
