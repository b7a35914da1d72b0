# SPDX-License-Identifier: BSD-3-Clause
"""Ways to move data: each comes to its turn in each round, and none always after the same one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nereus.bench.combinations import Combination
from nereus.bench.networks import SHM, Network
from nereus.bench.transfer_trials import (
    FAILURES,
    LIMITS,
    Amount,
    Pair,
    TransferBench,
    TransferTrial,
    read_limits,
)
from nereus.bench.transfer_ways import TransferWay, transfer_ways
from nereus.launch import Build

P2P, COL = (TransferWay(Combination("merge"), method, "blocking") for method in ("p2p", "col"))
PAIR = Pair(2, 4)
BUILD = Build("mpich", Path("/nowhere"), Path("/nowhere/mpiexec"), "MPICH Version: 9.9")


@dataclass(frozen=True)
class Scripted(TransferBench):
    """Tries nothing; `bad` ways fail."""

    bad: Sequence[TransferWay] = ()

    def trials(self, pair: Pair, ways: Sequence[TransferWay]) -> Iterator[TransferTrial]:
        yield from (TransferTrial(pair, way, way not in self.bad) for way in ways)

    def limits(self, pair: Pair) -> Mapping[str, float | None]:
        return dict.fromkeys(LIMITS, 1.0)


def bench(*bad: TransferWay) -> Scripted:
    return Scripted(BUILD, Network(SHM), Amount(8), bad=bad)


def test_each_round_begins_with_another_way() -> None:
    found = bench().rounds([PAIR], [P2P, COL], 3, lambda text: None)
    assert [trial.way for trial in found.trials] == [P2P, COL, COL, P2P, P2P, COL]
    assert len(found.limits[PAIR]) == 3


def test_failing_way_is_given_up_and_still_counted() -> None:
    told: list[str] = []
    found = bench(COL).rounds([PAIR], [P2P, COL], 5, told.append)
    assert sum(trial.way == COL for trial in found.trials) == FAILURES
    assert (len(told), told.count("limits"), told.count("given up")) == (15, 5, 5 - FAILURES)


def test_stopped_bench_begins_no_round() -> None:
    stopped = Scripted(BUILD, Network(SHM), Amount(8), stopped=lambda: True)
    assert stopped.rounds([PAIR], [P2P], 5, lambda text: None).trials == []


def test_one_sided_methods_have_no_nonblocking_strategy() -> None:
    ways = transfer_ways([Combination("merge")], ["col", "rma-lock"], ["blocking", "nonblocking", "blocking"])
    assert [way.text for way in ways] == [
        "merge:none:col:blocking",
        "merge:none:col:nonblocking",
        "merge:none:rma-lock:blocking",
    ]
    assert TransferWay(Combination("merge"), "shm", "blocking").shared


def test_limits_that_were_not_measured_are_none() -> None:
    assert read_limits("nereus-transfers: killed\n{}\n") is None
