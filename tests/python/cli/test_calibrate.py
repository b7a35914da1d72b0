# SPDX-License-Identifier: BSD-3-Clause
"""nereus calibrate: costs are measured, kept, shown, and handed to jobs."""

import json
import re
import signal
import time
from datetime import timedelta
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from nereus.bench import StoredCosts
from nereus.bench.combinations import Combination
from nereus.bench.costs import Cost, new_costs
from nereus.bench.transfer_ways import TransferWay
from nereus.cli.calibrate import _stored_of, _tell_of_time
from nereus.cli.calibrate_table import age_text
from nereus.cli.resize import _resized
from nereus.launch import Build
from nereus.methods import TRANSFER_METHODS, TRANSFER_STRATEGIES, transfer_conflict

QUICK = ("calibrate", "--bytes", "1MiB", "--repeat", "1")
WAYS = sum(transfer_conflict("merge", *way) is None for way in product(TRANSFER_METHODS, TRANSFER_STRATEGIES))
LIMIT = 60.0


def stored(shell: Any) -> list[Path]:
    return sorted((shell.folder.parent / "cache" / "nereus").glob("costs-*.json"))


def test_measured_costs_are_stored_and_shown(shell: Any, jobs: Path) -> None:
    result = shell.nereus(*QUICK, "--json")
    assert result.returncode == 0, result.stderr
    (found,) = json.loads(result.stdout)["calibrations"]
    assert (found["mpi"], found["reason"], [found["file"]]) == ("mpich", "", [str(stored(shell)[0])])
    assert 0 <= found["age_seconds"] < LIMIT
    costs = {(cost["method"], cost["strategy"]): cost for cost in found["measured"]["costs"]}
    assert len(costs) == WAYS
    # The program takes as long for much as for little data.
    assert costs["p2p", "blocking"]["fixed_seconds"] == pytest.approx(0.5)
    assert costs["p2p", "blocking"]["omega"] == 1
    assert costs["rma-lock", "thread"]["omega"] == pytest.approx(1.5)
    shown = shell.nereus("calibrate", "--show", "--json")
    assert shown.returncode == 0
    assert json.loads(shown.stdout)["calibrations"][0]["measured"] == found["measured"]


def test_each_way_is_measured_with_little_data_many_arrays_and_much_data(shell: Any, jobs: Path) -> None:
    assert shell.nereus(*QUICK, "--repeat", "2").returncode == 0
    lines = [line.split() for line in jobs.read_text().splitlines()]
    amounts = [(line[line.index("--bytes") + 1], line[line.index("--arrays") + 1]) for line in lines]
    assert amounts == [("65536", "1"), ("65536", "8"), ("1048576", "1")] * 2
    assert all(sum(":" in word for word in line) == WAYS for line in lines)


def test_failing_way_is_reported_and_left_out(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"merge:none:rma-lock:thread": "no windows here", "merge:none:col:thread": "dies"})
    result = shell.nereus(*QUICK, "--json", FAKE_FATES=fates)
    assert result.returncode == 0, result.stderr
    assert "mpich merge:none:rma-lock:thread: failed and will not be chosen: no windows here" in result.stderr
    assert "mpich merge:none:col:thread: failed and will not be chosen: the job died" in result.stderr
    costs = json.loads(result.stdout)["calibrations"][0]["measured"]["costs"]
    assert len(costs) == WAYS - 2


def test_nothing_is_stored_when_nothing_works(shell: Any, jobs: Path) -> None:
    ways = product(TRANSFER_METHODS, TRANSFER_STRATEGIES)
    fates = {f"merge:none:{method}:{strategy}": "no" for method, strategy in ways}
    result = shell.nereus(*QUICK, FAKE_FATES=json.dumps(fates))
    assert result.returncode == 1
    assert "nereus: mpich: no way to move data works; nothing was stored" in result.stderr
    assert stored(shell) == []


def test_interruption_keeps_earlier_stored_costs(shell: Any, jobs: Path) -> None:
    process = shell.start(*QUICK, FAKE_FATES=json.dumps({"merge:none:col:blocking": "hangs"}))
    deadline = time.monotonic() + LIMIT
    while not jobs.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, text = process.communicate(timeout=LIMIT)
    assert process.returncode == 130, text
    assert stored(shell) == []


def test_way_for_which_there_is_no_time_is_reported_and_left_out(shell: Any, jobs: Path) -> None:
    fates = json.dumps({"merge:none:rma-lockall:thread": "hangs"})  # the last of them
    result = shell.nereus(*QUICK, "--limit", "5", "--json", FAKE_FATES=fates)
    assert result.returncode == 1, result.stderr
    ways = "merge:none:p2p:blocking, merge:none:p2p:nonblocking, "
    assert f"mpich {ways}" in result.stderr
    assert "not measured in 5 s and will not be chosen; --limit gives more time" in result.stderr
    assert "nereus: mpich: no way to move data was measured; nothing was stored" in result.stderr
    assert stored(shell) == []


P2P, RMA = (TransferWay(Combination("merge"), method, "blocking") for method in ("p2p", "rma-lock"))
BUILD = Build("mpich", Path("/nowhere"), Path("/nowhere/mpiexec"), "MPICH Version: 5")


def cost(method: str) -> Cost:
    numbers = dict.fromkeys(
        ("fixed_seconds", "seconds_per_array", "seconds_per_byte", "pause_seconds", "deviation"), 0.5
    )
    return Cost.model_validate({"method": method, "strategy": "blocking", "omega": 1.0} | numbers)


def test_rounds_and_ways_for_which_there_was_no_time_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    _tell_of_time(BUILD, {P2P: 2, RMA: 0}, [], 3, 60.0)
    assert capsys.readouterr().err.splitlines() == [
        "mpich: 2 of 3 rounds were made in 60 s; --limit gives more time",
        f"mpich {RMA.text}: not measured in 60 s and will not be chosen; --limit gives more time",
    ]
    _tell_of_time(BUILD, {P2P: 3, RMA: 0}, [cost("rma-lock")], 3, 60.0)
    assert "in 60 s, and earlier costs of 1 are kept;" in capsys.readouterr().err
    _tell_of_time(BUILD, {P2P: 3, RMA: 3}, [], 3, 60.0)
    assert capsys.readouterr().err == ""


def test_earlier_costs_of_ways_for_which_there_was_no_time_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    known = new_costs(BUILD, [cost("p2p"), cost("rma-lock")])
    module = import_module("nereus.cli.calibrate")
    monkeypatch.setattr(module, "stored_costs", lambda build: StoredCosts(Path("costs"), known))
    assert _stored_of(BUILD, [RMA]) == [cost("rma-lock")]
    monkeypatch.setattr(module, "stored_costs", lambda build: StoredCosts(Path("costs")))
    assert _stored_of(BUILD, [RMA]) == []


@pytest.mark.parametrize("size", ["1", "1048575", "-1", "many", "9999999GiB"])
def test_invalid_amount_is_refused(shell: Any, jobs: Path, size: str) -> None:
    result = shell.nereus("calibrate", f"--bytes={size}")
    assert result.returncode == 2
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"nereus: --bytes = {size}: ")
    assert not jobs.exists()


def test_table_shows_costs_and_their_age(shell: Any, jobs: Path) -> None:
    assert "mpich: nothing was measured yet" in shell.nereus("calibrate", "--show").stdout
    text = shell.nereus(*QUICK).stdout
    assert re.search(r"mpich on \S+, .* \(just now\)", text)
    assert re.search(r"rma-lockall +wait-drains .* 1\.500 +0\.00 %", text)


def test_job_gets_the_costs_of_its_mpi(shell: Any, jobs: Path) -> None:
    show = ("run", "-q", "--", "/bin/sh", "-c", 'echo "costs $NEREUS_COSTS"')
    assert "costs \n" in shell.nereus(*show).stdout
    shell.nereus(*QUICK)
    assert f"costs {stored(shell)[0]}\n" in shell.nereus(*show).stdout
    assert "costs \n" in shell.nereus(*show, NEREUS_COSTS="").stdout
    assert "costs mine\n" in shell.nereus(*show, NEREUS_COSTS="mine").stdout


def test_damaged_costs_are_reported_and_not_passed_to_the_job(shell: Any, jobs: Path) -> None:
    shell.nereus(*QUICK)
    (path,) = stored(shell)
    path.write_text(path.read_text().replace('"omega": 1.5', '"omega": 0.5'))
    result = shell.nereus("run", "-q", "--", "/bin/sh", "-c", 'echo "costs $NEREUS_COSTS"')
    assert result.returncode == 0
    assert "costs \n" in result.stdout
    assert f"nereus: warning: {path}: these costs of transfers cannot be read; run `nereus" in result.stderr
    shown = shell.nereus("calibrate", "--show")
    assert shown.returncode == 1
    assert "cannot be read" in " ".join(shown.stdout.split())


def test_resize_shows_predicted_and_actual_time() -> None:
    report = {"from": 2, "to": 4, "pause_seconds": 0.01, "process_seconds": 0.2, "transfer_method": "p2p"}
    took = {"transfer_strategy": "wait-drains", "constant_seconds": 0.3, "variable_seconds": 0.05}
    text = _resized(report | took | {"predicted_seconds": 0.31}, 4)
    assert text.endswith("p2p wait-drains, predicted 310 ms, took 350 ms)")
    assert "predicted" not in _resized(report | took | {"predicted_seconds": -1.0}, 4)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "just now"), (119, "just now"), (7199, "120 minutes ago"), (200000, "2 days ago")],
)
def test_ages_are_shown_in_readable_units(seconds: int, text: str) -> None:
    assert age_text(timedelta(seconds=seconds)) == text
