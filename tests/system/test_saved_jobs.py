# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that are saved, stopped and continued: their data is the same afterwards."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from conftest import wait_until

STOPPED = 75


class Runs:
    """One program, started again and again."""

    def __init__(self, site: Any, mpi: str, before: tuple[str, ...] = ()) -> None:
        """`before`: words before those of `nereus run`."""
        self.site, self.mpi, self.before = site, mpi, before
        self.program = site.program(mpi, "resizable")

    def events(self) -> list[dict[str, Any]]:
        path = self.site.folder / "events"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def says(self, event: str, **keys: Any) -> bool:
        return any(
            each["event"] == event and all(each[key] == value for key, value in keys.items())
            for each in self.events()
        )

    @contextmanager
    def started(self, *options: str) -> Any:
        """Once it has opened the job."""
        seen = len(self.events())
        job = ("run", "--mpi", self.mpi, *options, "--", self.program, self.site.folder)
        words = (*self.before, *job)
        with self.site.started(*words) as process:

            def is_open() -> bool:
                assert process.poll() is None, process.communicate()
                new = self.events()[seen:]
                return any(event["event"] in {"opened", "came in"} for event in new)

            wait_until(is_open)
            yield process

    def end_of(self, process: "subprocess.Popen[str]") -> str:
        _, errors = process.communicate(timeout=60)
        assert not any(event["event"] == "damaged" for event in self.events())
        return str(errors)

    def ends_well(self, *options: str) -> None:
        """Continued, its data is whole, and it goes on from where it was."""
        with self.started(*options) as process:
            (self.site.folder / "stop").touch()
            errors = self.end_of(process)
        assert process.returncode == 0, errors
        assert self.events()[-1] | {"event": "closes", "intact": True} == self.events()[-1]
        (self.site.folder / "stop").unlink()


@pytest.fixture
def runs(site: Any, mpi: str) -> Runs:
    return Runs(site, mpi)


def test_job_that_was_stopped_continues_with_another_number_of_ranks(runs: Runs, site: Any) -> None:
    with runs.started("-n", "3", "--save", "saved", "--name", "one") as process:
        result = site.nereus("save", "one", "--stop", "--json")
        errors = runs.end_of(process)
    assert result.code == 0, result.err
    report = json.loads(result.out)["report"]
    assert (report["epoch"], report["stops"]) == (1, True)
    assert process.returncode == STOPPED
    assert "to continue: nereus run --resume" in errors
    step = runs.events()[-1]["step"]
    runs.ends_well("-n", "2", "--resume", "saved")
    came = next(event for event in runs.events() if event["event"] == "came in")
    assert (came["ranks"], came["step"]) == (2, report["iteration"])
    assert came["step"] >= step


def test_job_that_is_saved_on_request_goes_on(runs: Runs, site: Any) -> None:
    with runs.started("-n", "2", "--save", "saved", "--name", "one") as process:
        for number in (1, 2, 3):
            result = site.nereus("save", "one")
            assert (result.code, f"epoch {number} was saved" in result.out) == (0, True), result.err
        assert site.nereus("resize", "one", "3").code == 0
        assert site.nereus("save", "one").code == 0
        (site.folder / "stop").touch()
        runs.end_of(process)
    (site.folder / "stop").unlink()
    assert process.returncode == 0
    kept = sorted(path.name for path in (site.folder / "saved").iterdir())
    assert kept == ["epoch-3", "epoch-4", "zarr.json"]
    runs.ends_well("--resume", "saved/epoch-3")
    came = next(event for event in runs.events() if event["event"] == "came in" and event["step"] > 0)
    assert came["ranks"] == 2, "as many as were saved, where no number is given"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1])
def test_signal_saves_and_ends_the_job(runs: Runs, number: signal.Signals) -> None:
    with runs.started("-n", "2", "--save", "saved", "--save-signal", "USR1") as process:
        process.send_signal(number)
        process.send_signal(signal.SIGTERM)  # as `timeout`, which signals a process and its group
        errors = runs.end_of(process)
    assert (process.returncode, "stopped after epoch 1" in errors) == (STOPPED, True), errors
    runs.ends_well("-n", "1", "--resume", "saved")


@pytest.mark.parametrize(("every", "epoch"), [("0.2", "epoch-3"), ("auto", "epoch-1")])
def test_epochs_are_saved_every_so_often(runs: Runs, site: Any, every: str, epoch: str) -> None:
    with runs.started("-n", "2", "--save", "saved", "--save-every", every) as process:
        wait_until(lambda: (site.folder / "saved" / epoch).exists())
        (site.folder / "stop").touch()
        runs.end_of(process)
    (site.folder / "stop").unlink()
    assert process.returncode == 0
    runs.ends_well("-n", "2", "--resume", "saved")


def test_signal_ends_a_job_that_cannot_be_saved(site: Any, mpich: str) -> None:
    """It ends as it would have without epochs, and says why there is none."""
    words = ("run", "--mpi", mpich, "--save", "saved", "--", "sleep", "60")
    with site.started(*words) as process:
        wait_until(lambda: site.processes("sleep") != [])
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 143
    assert "no epoch was saved: the program has not opened a Nereus job" in errors


def test_results_file_tells_of_epochs(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    site.environment["NEREUS_RESULTS"] = "results"
    with runs.started("-n", "2", "--save", "saved", "--name", "one") as process:
        told = json.loads(site.nereus("save", "one", "--json").out)["report"]
        shutil.rmtree(site.folder / "saved")
        Path(site.folder / "saved").write_text("in the way")
        assert site.nereus("save", "one").code == 1
        (site.folder / "stop").touch()
        runs.end_of(process)
    lines = [json.loads(line) for line in (site.folder / "results").read_text().splitlines()]
    saved, failed = (line for line in lines if line["event"].startswith("epoch"))
    assert saved["event"] == "epoch_saved"
    assert [saved[key] for key in ("epoch", "bytes", "iteration")] == [1, told["bytes"], told["iteration"]]
    assert saved["seconds"] == pytest.approx(told["seconds"])
    assert (failed["event"], failed["code"] < 0, failed["reason"] != "") == ("epoch_not_saved", True, True)


def test_results_file_goes_on_where_the_job_continues(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    site.environment["NEREUS_RESULTS"] = "results"
    with runs.started("-n", "2", "--save", "saved", "--name", "one", "--recoveries", "1") as process:
        assert site.nereus("save", "one").code == 0
        os.kill(site.processes("resizable")[0], signal.SIGKILL)
        wait_until(lambda: runs.says("came in"))
        assert site.nereus("save", "one", "--stop").code == 0
        runs.end_of(process)
    runs.ends_well("-n", "3", "--resume", "saved")
    lines = [json.loads(line) for line in (site.folder / "results").read_text().splitlines()]
    seen = [(line["event"], line["generation"]) for line in lines]
    saved, ended = "epoch_saved", "generation_ended"
    assert seen[:5] == [("header", 0), (saved, 0), ("resumed", 1), (saved, 1), (ended, 1)]
    assert seen[5:] == [("finished", 1), ("resumed", 2), (ended, 2), ("finished", 2)]
    assert lines[2]["iteration"] == lines[1]["iteration"]
    experiment = site.nereus("emulate", "--from", "results", "--print")
    assert experiment.code == 0, experiment.err
    assert [line for line in experiment.out.splitlines() if line.startswith("ranks")] == [
        "ranks = 2",
        "ranks = 3",
    ]


def test_job_continues_with_another_mpi(site: Any, mpich: str, openmpi: str) -> None:
    one, other = Runs(site, mpich), Runs(site, openmpi)
    with one.started("-n", "3", "--save", "saved", "--name", "one") as process:
        assert site.nereus("save", "one", "--stop").code == 0
        one.end_of(process)
    other.ends_well("-n", "2", "--resume", "saved")


PYTHON = """
import nereus

def stay(job):
    u = job.array("u", (1000, 10))
    step = job.value("step", 0)
    while step.value < 300:
        u.view[:] += 1
        step.value += 1
        if step.value == 100 and job.comm.rank == 0:
            AT_STEP_100
        if job.checkpoint() is nereus.Outcome.LEAVE:
            return
    total = job.comm.reduce(float(u.view.sum()))
    if job.comm.rank == 0:
        print("total", total, "on", job.comm.size, "in generation", job.generation)

nereus.run(stay)
"""


def write_python(site: Any, at_step_100: str) -> None:
    site.write("app.py", PYTHON.replace("AT_STEP_100", at_step_100))


def test_program_in_python_saves_itself_and_continues(site: Any, mpich: str) -> None:
    write_python(site, "job.save(stop=True)")
    words = ("run", "--quiet", "--mpi", mpich, "-n", "2", "--save", "saved", "--", sys.executable, "app.py")
    first = site.nereus(*words)
    assert (first.code, first.out) == (STOPPED, ""), first.err
    second = site.nereus(*words[:4], "-n", "3", "--resume", "saved", *words[-3:])
    assert (second.code, second.out) == (0, "total 3000000.0 on 3 in generation 1\n"), second.err


def test_zarr_reads_what_was_saved(site: Any, mpich: str) -> None:
    zarr = pytest.importorskip("zarr")
    runs = Runs(site, mpich)
    with runs.started("-n", "3", "--save", "saved", "--name", "one") as process:
        report = json.loads(site.nereus("save", "one", "--stop", "--json").out)["report"]
        runs.end_of(process)
    epoch = zarr.open_group(site.folder / "saved", mode="r")["epoch-1"]
    step = report["iteration"]
    assert epoch["step"][:].tolist() == [step]
    assert epoch["cells"][:].tolist() == [float(i + step) for i in range(200_003)]
    assert epoch["shapes"][:].tolist() == [3 * i for i in range(50_021)]
    assert epoch["copies"][:].tolist() == [float(i + step) for i in range(33)]
    assert (epoch["cells"].dtype, epoch["copies"].dtype) == ("float64", "float32")
    listed = site.nereus("report", "saved")
    assert (listed.code, "cells" in listed.out, "float64" in listed.out) == (0, True, True)
    document = site.nereus("report", "saved", "--json").document
    assert document["epochs"][0]["iteration"] == step


@pytest.fixture
def saved(site: Any, mpich: str) -> Runs:
    """Two epochs of a job that was stopped."""
    runs = Runs(site, mpich)
    with runs.started("-n", "2", "--save", "saved", "--name", "one") as process:
        assert site.nereus("save", "one").code == 0
        assert site.nereus("save", "one", "--stop").code == 0
        runs.end_of(process)
    return runs


def refusal(runs: Runs, *options: str) -> str:
    """What is said of a job that cannot continue."""
    words = ("run", "--mpi", runs.mpi, "-n", "2", *options, "--", runs.program, runs.site.folder)
    result = runs.site.nereus(*words)
    assert result.code != 0, result.err
    return str(result.err)


def test_damaged_epoch_is_refused_and_the_one_before_is_named(saved: Runs) -> None:
    chunk = saved.site.folder / "saved" / "epoch-2" / "cells" / "c" / "0"
    content = bytearray(chunk.read_bytes())
    content[1000] ^= 1
    chunk.write_bytes(content)
    said = refusal(saved, "--resume", "saved")
    assert 'chunk 0 of "cells" was changed; an earlier epoch is' in said
    chunk.unlink()
    assert "epoch-2/cells/c/0: No such file" in refusal(saved, "--resume", "saved")
    saved.ends_well("-n", "3", "--resume", "saved/epoch-1")


def test_program_with_other_arrays_is_refused(saved: Runs) -> None:
    (saved.site.folder / "another-length").touch()
    said = refusal(saved, "--resume", "saved")
    assert "registers variable block array" in said and "where the epoch has" in said
    assert said.count("is not the program that saved the epoch") == 1


def test_folder_with_epochs_of_another_job_is_refused(saved: Runs) -> None:
    said = refusal(saved, "--save", "saved")
    assert "holds epochs of an earlier job, up to number 2" in said
    (saved.site.folder / "other").mkdir()
    (saved.site.folder / "other" / "file").touch()
    assert "is no folder of epochs" in refusal(saved, "--save", "other")


def test_job_without_a_folder_says_that_it_saves_nothing(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "1", "--name", "one") as process:
        result = site.nereus("save", "one")
        (site.folder / "stop").touch()
        runs.end_of(process)
    assert (result.code, "this job saves no epochs" in result.err) == (1, True)


def test_job_whose_epoch_cannot_be_written_goes_on(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "2", "--save", "saved", "--name", "one") as process:
        shutil.rmtree(site.folder / "saved")
        Path(site.folder / "saved").write_text("in the way")
        result = site.nereus("save", "one", "--stop")
        assert (result.code, "no epoch was saved" in result.err) == (1, True), result.err
        assert process.poll() is None
        (site.folder / "stop").touch()
        runs.end_of(process)
    assert process.returncode == 0
