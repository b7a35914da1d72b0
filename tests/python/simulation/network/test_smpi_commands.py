# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong on the command line is said in one line, before anything is simulated."""

import json
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nereus.cli import simulate_transfer
from nereus.methods import TRANSFER_METHODS
from nereus.simulation.network import redistribution
from nereus.simulation.network.cluster import Cluster
from nereus.simulation.network.error import Stopped
from nereus.simulation.network.picture import figure
from nereus.simulation.network.program import Limits
from nereus.simulation.network.redistribution import Case, Simulated

Nereus = Callable[..., tuple[int, str, str]]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bandwidth", "0 Gbit/s"], "--bandwidth 0 Gbit/s: allowed is a rate from 1 kbit/s"),
        (["--bandwidth", "fast"], "--bandwidth fast: allowed is a rate"),
        (["--pair", "200:80"], "200 ranks: 8 hosts of 20 cores have 160 slots"),
        (["--pair", "80:80"], "--pair 80:80: allowed are two different numbers of ranks"),
        (["--pair", "0:80"], "--pair 0:80: allowed are two different"),
        (["--pair", "eighty"], "--pair eighty: allowed are ranks before and after, as 160:80"),
        (["--method", "p2p,post"], f"--method p2p,post: post: allowed are {', '.join(TRANSFER_METHODS)}"),
        (["--placement", "anywhere"], "--placement anywhere: allowed are packed, spread"),
        (["--bytes", "0"], "--bytes 0: allowed is a size from 1"),
        (["--bytes", "many"], "--bytes many: no number with a unit"),
        (["--latency", "1 h"], "--latency 1 h: allowed are 0 s to 1 s"),
        (["--spawn", "nothing.json"], "--spawn nothing.json: seconds, or a document of"),
        (["--spawn", "nan"], "--spawn nan: allowed are 0 to 3600 seconds"),
        (["--picture", "nowhere/x.png"], "--picture = nowhere/x.png: allowed is a .png, .pdf or .svg file"),
        (["--picture", "x.foo"], "--picture = x.foo: allowed is a .png, .pdf or .svg file in a folder that"),
        (["--check"], "--check: real bytes take memory: --bytes up to 256 MiB are allowed"),
        (
            ["--nodes", "500", "--pair", "10000:5000", "--method", "col"],
            "--method col with 10000 ranks: each rank has to do with all others; allowed are 4096 ranks",
        ),
        (
            ["--nodes", "2000", "--cores", "100", "--pair", "150000:100", "--method", "p2p"],
            "--method p2p with 150000 ranks: allowed are 100000 ranks",
        ),
    ],
)
def test_invalid_transfers_are_refused(nereus: Nereus, arguments: list[str], said: str) -> None:
    code, out, err = nereus("simulate", "transfer", *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert said in err


def test_picture_over_a_folder_is_refused(nereus: Nereus, tmp_path: Path) -> None:
    folder = tmp_path / "x.png"
    folder.mkdir()
    code, out, err = nereus("simulate", "transfer", "--picture", folder)
    assert (code, out) == (2, "")
    assert f"--picture = {folder}: allowed is a .png, .pdf or .svg file" in err


def test_methods_that_take_as_long_are_told_apart_in_the_picture() -> None:
    cluster = Cluster(8, 20, 1.25e9, 1e-6, 1e10)
    cases = [
        Case(cluster, (), before, after, 1, method, False, None)
        for before, after in ((2, 10), (10, 2))
        for method in ("p2p", "col", "rma-lockall")
    ]
    (axes,) = figure([Simulated(case, {"seconds": 1.1, "bound": 1.0}) for case in cases]).axes
    lines = [line for line in axes.lines if line.get_label() in ("p2p", "col", "rma-lockall")]
    places = [place for line in lines for place in np.asarray(line.get_xdata()).tolist()]
    assert len(set(places)) == len(places) == 6
    assert [round(place) for place in places] == [0, 1] * 3
    assert len({(line.get_marker(), line.get_linestyle()) for line in lines}) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--pattern: one of reduce, reduce-heap, stencil-2d, stencil-3d, or --matrix, is needed"),
        (["--pattern", "reduce", "--matrix", "m.mtx"], "or --matrix, is needed"),
        (["--matrix", "m.mtx", "--ranks", "64"], "--ranks 64: allowed with --pattern only"),
        (["--matrix", "m.mtx", "--bytes", "1 GiB"], "--bytes 1 GiB: allowed with --pattern only"),
        (["--pattern", "reduce", "--bytes", ""], "--bytes : "),
        (
            ["--pattern", "reduce", "--ranks", "65"],
            "65 ranks: the topology has 64 slots, and allowed is one rank",
        ),
        (["--pattern", "ring"], "--pattern ring: allowed are reduce, reduce-heap, stencil-2d, stencil-3d"),
    ],
)
def test_invalid_placements_are_refused(nereus: Nereus, arguments: list[str], said: str) -> None:
    code, _, err = nereus("simulate", "placement", *arguments)
    assert code == 2
    assert said in err


def test_unknown_command_is_taken_as_a_scenario(nereus: Nereus) -> None:
    for arguments in (["none.toml"], ["--json", "none.toml"], ["scenario", "none.toml"]):
        code, _, err = nereus("simulate", *arguments)
        assert code == 2
        assert "none.toml" in err
    code, out, _ = nereus("simulate", "--help")
    assert code == 0
    assert all(word in out for word in ("SCENARIO", "transfer", "placement"))


def test_missing_simgrid_is_reported_with_installation_command(
    nereus: Nereus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    about = {"name": "mpich", "mpiexec": "/bin/true", "library_version": "MPICH"}
    (tmp_path / "mpich").mkdir()
    (tmp_path / "mpich" / "mpi.json").write_text(json.dumps(about))
    monkeypatch.setenv("NEREUS_BUILDS", str(tmp_path))
    code, out, err = nereus("simulate", "transfer", "--pair", "4:2")
    assert (code, out) == (2, "")
    assert "nereus-smpi" in err and "apt-get install libsimgrid-dev" in err


def _waits(thread: threading.Thread) -> bool:
    """Whether it stands in a wait for what others compute."""
    assert thread.ident is not None
    stack = traceback.extract_stack(sys._current_frames()[thread.ident])
    return stack[-1].name == "wait" and any("concurrent/futures" in frame.filename for frame in stack[-3:])


def test_ctrl_c_delivered_to_another_thread_stops_the_simulation(
    nereus: Nereus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A signal that comes to another thread, or a moment before the wait, does not end that wait."""
    stopped = []

    def simulated(case: Case, limits: Limits) -> None:
        deadline = time.monotonic() + 20
        while not _waits(threading.main_thread()) and time.monotonic() < deadline:
            time.sleep(0.01)
        signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        while not limits.stopped() and time.monotonic() < deadline:
            time.sleep(0.01)
        stopped.append(limits.stopped())
        raise Stopped

    monkeypatch.setattr(redistribution, "redistributed", simulated)
    monkeypatch.setattr(simulate_transfer, "require", lambda: None)
    code, _, err = nereus("simulate", "transfer", "--pair", "4:2", "--method", "p2p", "--quiet")
    assert (set(stopped), err) == ({True}, "nereus: stopped by SIGINT\n")
    assert code == 130
