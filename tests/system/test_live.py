# SPDX-License-Identifier: BSD-3-Clause
"""Live studies: real jobs that really write and are resized, under daemons; nothing of them is left."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from conftest import Site, installed, wait_until
from nereus.launch import builds
from nereus.simulation.live import store

STUDY = """\
policies = ["none", "lends.py:Lends"]
[cluster]
cores = 8
[parameters]
uncertainty = 0.1
[storage]
bandwidth = 2e7
[live]
repetitions = 1
lead = 3.0
store = "folder"
[[jobs]]
name = "A1"
ranks = 2
iterations = 40
time = { divided = 0.1 }
io_every = 10
io_bytes = 2e6
flops = 1e6
[[jobs]]
name = "A2"
ranks = 1
iterations = 40
time = { divided = 0.05 }
io_every = 20
io_bytes = 1e6
"""
#: One more rank for a while for each job with two, once, however far it is when the daemon hears of it.
LENDS = """\
from nereus.policy.decisions import Policy, Resize


class Lends(Policy):
    def __init__(self):
        self._lent = set()

    def decide(self, state, parameters):
        fresh = [job for job in state.settled if job.ranks == 2 and job.name not in self._lent]
        self._lent.update(job.name for job in fresh)
        return [
            Resize(job.name, 3, "to be tried", at=job.iteration + 10, until=job.iteration + 25)
            for job in fresh
        ]
"""


@pytest.fixture
def mpi() -> str:
    return installed("mpich")


def program(mpi: str) -> Path:
    return next(build for build in builds() if build.name == mpi).program("nereus-phases")


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def test_live_and_simulated_documents_have_the_same_form(site: Site, mpi: str) -> None:
    site.write("lends.py", LENDS)
    file = site.write("two.toml", STUDY)
    # Iterations wait for newcomers: else they might all be over before these are there.
    options = ("--mpi", mpi, "--folder", "out", "--json")
    result = site.nereus("study", file, *options, NEREUS_PROCESS_STRATEGIES="none")
    assert result.code == 0, result.err
    document = result.document
    assert (document["mode"], document["store"]["kind"], document["failed"]) == ("live", "folder", [])
    simulated = site.nereus("simulate", file, "--json", "--quiet").document["policies"]
    for policy, resizes in (("none", 0), ("lends.py:Lends", 2)):
        live = document["policies"][policy]
        assert set(simulated[policy]) <= set(live)
        assert live["resizes"] == resizes
        assert [(job["name"], job["phases"], job["ranks"]) for job in live["jobs"]] == [
            ("A1", 4, 2),
            ("A2", 2, 1),
        ]
        assert live["flops"] == pytest.approx(40e6 / live["makespan_seconds"], rel=0.1)
    assert document["simulated"]["policies"]["none"]["makespan_seconds"] == pytest.approx(
        simulated["none"]["makespan_seconds"]
    )
    assert (site.folder / "out" / "live.png").read_bytes().startswith(b"\x89PNG")

    before = (site.folder / "out" / "runs" / "none_1" / "run.json").stat().st_mtime_ns
    again = site.nereus("study", file, *options, NEREUS_PROCESS_STRATEGIES="none")
    assert again.document["policies"] == document["policies"]
    assert (site.folder / "out" / "runs" / "none_1" / "run.json").stat().st_mtime_ns == before


def test_computing_and_waiting_jobs_are_distinguished(site: Site, mpi: str) -> None:
    jacobi = {"lead = 3.0": "lead = 3.0\njacobi = { A1 = 200 }", 'none", "lends.py:Lends': "blocking"}
    text = STUDY.replace("flops = 1e6", "most = 2")
    for before, after in jacobi.items():
        text = text.replace(before, after)
    result = site.nereus("study", site.write("jacobi.toml", text), "--mpi", mpi, "--folder", "out", "--json")
    assert result.code == 0, result.err
    document = result.document
    assert document["compute"] == {"A1": "jacobi", "A2": "waits"}
    assert document["failed"] == []
    jobs = document["policies"]["blocking"]["jobs"]
    assert [(job["name"], job["phases"]) for job in jobs] == [("A1", 4), ("A2", 2)]
    (told,) = lines((site.folder / "out" / "runs" / "blocking_1" / "A1.txt").read_text())
    assert (told["rows"], told["iterations"], told["writes"]) == (200, 40, 4)


APPLICATION = """\
[data]
constant_bytes = 4000000
variable_bytes = 100000
[[phases]]
iterations = 60
[[phases.stages]]
type = "pi"
time = "20 ms"
[[phases.stages]]
type = "allreduce"
bytes = 8
[[groups]]
ranks = 1
iterations = 1
[[groups]]
ranks = 4
factor = 0.25
transfer_method = "col"
"""
WORKLOAD = """\
policies = ["none", "lends.py:Lends"]
[cluster]
cores = 3
[live]
repetitions = 1
[[jobs]]
name = "A1"
experiment = "app.toml"
ranks = 2
[[jobs]]
name = "A2"
experiment = "app.toml"
ranks = 2
"""


@pytest.mark.whole  # takes a minute
def test_emulated_applications_wait_for_cores_and_are_resized_by_the_daemon(site: Site, mpi: str) -> None:
    site.write("lends.py", LENDS)
    site.write("app.toml", APPLICATION.replace("iterations = 60", "iterations = 400"))
    file = site.write("workload.toml", WORKLOAD)
    result = site.nereus("emulate", "--jobs", file, "--mpi", mpi, "--output", "out", "--json", "--quiet")
    assert (result.code, result.err) == (0, "")
    document = result.document
    assert (document["mode"], document["store"]["kind"], document["failed"]) == ("emulated", "none", [])
    assert document["simulated"]["mode"] == "simulated"
    assert document["compute"] == {"A1": "emulated", "A2": "emulated"}
    none, lent = (document["policies"][name] for name in ("none", "lends.py:Lends"))
    assert (none["resizes"], none["unfinished"], lent["unfinished"]) == (0, 0, 0)
    first, second = none["jobs"]
    assert second["start_seconds"] >= first["end_seconds"], "three cores hold one of them, in their order"
    assert lent["resizes"] == 4
    told = lines((site.folder / "out" / "runs" / "lends.py-Lends_1" / "A1.jsonl").read_text())
    committed = [(event["from"], event["to"]) for event in told if event["event"] == "committed"]
    assert committed == [(2, 3), (3, 2)]
    assert {event["transfer_method"] for event in told if event["event"] == "committed"} == {"col"}
    assert [event["iteration"] for event in told if event["event"] == "iteration"] == list(range(400))
    run = json.loads((site.folder / "out" / "runs" / "none_1" / "A1.run.json").read_text())
    assert [group["times"][0] for group in run["groups"]] == pytest.approx([0.02, 0.01, 0.02 / 3])
    assert [event["data_intact"] for event in told if event["event"] == "finished"] == [True]
    assert site.nereus("report", "out/runs/lends.py-Lends_1/A1.jsonl").code == 0


def test_emulation_of_a_schedule_refuses_requests_from_outside(site: Site, mpi: str) -> None:
    file = site.write("app.toml", APPLICATION.replace("iterations = 60", "iterations = 1200"))
    with site.started("emulate", file, "--mpi", mpi, "--output", "out") as process:
        results = site.folder / "out" / "run.jsonl"
        wait_until(lambda: results.exists() and '"to":4' in results.read_text().replace(" ", ""), 60)
        refused = site.nereus("resize", "nereus-emulator-1", "2")
        assert process.wait(120) == 0
    assert refused.code == 1, refused.err
    assert "resized by its own requests only (setting outside-requests)" in refused.err
    told = lines(results.read_text())
    assert [(event["from"], event["to"]) for event in told if event["event"] == "committed"] == [(1, 4)]


def test_interrupted_study_leaves_no_store_and_no_limit(site: Site, mpi: str) -> None:
    if store.complaint() or not Path("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device").exists():
        pytest.skip("a limited store needs root and blkio")
    limits = Path("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device").read_text()
    mounts = Path("/proc/mounts").read_text()
    file = site.write("two.toml", STUDY.replace('store = "folder"', "").replace(', "lends.py:Lends"', ""))
    with site.started("study", file, "--mpi", mpi, "--folder", "out") as process:
        events = site.folder / "out" / "runs" / "none_1" / "events.jsonl"
        wait_until(lambda: events.exists() and '"wrote"' in events.read_text())
        assert Path("/proc/mounts").read_text() != mounts
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 143, err
    assert Path("/proc/mounts").read_text() == mounts
    assert Path("/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device").read_text() == limits


def test_data_written_in_phases_is_right_whatever_ranks_wrote_it(site: Site, mpi: str) -> None:
    options = (
        "--iterations",
        "12",
        "--fixed",
        "0.01",
        "--every",
        "3",
        "--bytes",
        "100001",
        "--piece",
        "4096",
    )
    resizes = ("--resize", "2:4", "--resize", "7:1")
    arguments = ("run", "--mpi", mpi, "-n", "2", "--quiet", "--", program(mpi), *options)
    # Iterations wait for newcomers: so short a job would be over before they came.
    result = site.nereus(*arguments, "--file", "x.bin", "--check", *resizes, NEREUS_PROCESS_STRATEGIES="none")
    assert result.code == 0, result.err
    told = lines(result.out)
    assert [each["ranks"] for each in told if each["event"] == "resized"] == [4, 1]
    assert [each["phase"] for each in told if each["event"] == "phase"] == [1, 2, 3, 4]
    assert (site.folder / "x.bin").stat().st_size == 100000
    written = {ranks: _written_by(site, mpi, ranks, options) for ranks in (1, 3)}
    assert written[1] == written[3] == (site.folder / "x.bin").read_bytes()


def _written_by(site: Site, mpi: str, ranks: int, options: tuple[str, ...]) -> bytes:
    start = ("run", "--mpi", mpi, "-n", str(ranks), "--quiet", "--", program(mpi))
    assert site.nereus(*start, *options, "--file", f"{ranks}.bin").code == 0
    return (site.folder / f"{ranks}.bin").read_bytes()


def test_phase_that_cannot_be_written_fails_the_program(site: Site, mpi: str) -> None:
    options = ("--iterations", "3", "--fixed", "0.01", "--every", "3", "--bytes", "1000")
    start = ("run", "--mpi", mpi, "-n", "2", "--quiet", "--", program(mpi), *options)
    result = site.nereus(*start, "--file", f"{os.devnull}/x.bin")
    assert result.code != 0
    assert "cannot be made" in result.err
