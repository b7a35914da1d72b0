# SPDX-License-Identifier: BSD-3-Clause
"""Jobs that are resized by starting all their processes anew (process method `restart`)."""

import json
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from test_full_disk import Disk
from test_recoveries import SAVING, ends_well, times_come_in
from test_saved_jobs import Runs, write_python

from conftest import installed, said_in, wait_until
from nereus.launch import choose

RESTART = ("--process-method", "restart")
#: Bytes of the program's block arrays, and of the replicated one, which no memory shares.
ARRAYS, COPIES = 8 * 200_003 + 8 * 50_021, 4 * 33


@pytest.fixture
def runs(site: Any, mpi: str) -> Runs:
    return Runs(site, mpi)


def wrapped(runs: Runs, before: str) -> None:
    """The program is started by a shell that does this first."""
    path = runs.site.folder / "wrapped"
    path.write_text(f'#!/bin/sh\n{before}\nexec {runs.program} "$@"\n')
    path.chmod(0o755)
    runs.program = path


def jobs(site: Any) -> list[dict[str, Any]]:
    return list(site.nereus("jobs", "--json").document["jobs"])


def states(site: Any) -> list[str]:
    return [job["state"] for job in jobs(site)]


def restarted(runs: Runs, ranks: int, *options: str) -> dict[str, Any]:
    """The report of a resize that was done."""
    result = runs.site.nereus("resize", "one", str(ranks), *(options or RESTART), "--json")
    assert result.code == 0, result.err + result.out
    report: dict[str, Any] = result.document["report"] | {"request": result.document["request"]}
    assert (report["process_method"], report["to"]) == ("restart", ranks)
    return report


@pytest.mark.parametrize("memory", ["shared", "private"])
def test_job_is_restarted_at_any_size_with_its_data(runs: Runs, memory: str) -> None:
    runs.site.environment["NEREUS_MEMORY"] = memory
    with runs.started("-n", "2", "--name", "one") as process:
        for number, ranks in enumerate((4, 1, 3, 3), start=1):
            report = restarted(runs, ranks)
            wait_until(lambda ranks=ranks: runs.says("came in", ranks=ranks))  # type: ignore[misc]
            status = jobs(runs.site)[0]
            assert [status[key] for key in ("ranks", "generation", "resizes")] == [ranks, number, number]
            assert 0 < report["process_seconds"] < report["pause_seconds"]
            assert report["shared_bytes"] == (ARRAYS if memory == "shared" else 0)
            assert (
                report["shared_bytes"] + report["constant_bytes"] + report["variable_bytes"]
                == ARRAYS + COPIES
            )
        ends_well(runs, process)
    steps = [event["step"] for event in runs.events() if event["event"] == "came in"]
    assert steps == sorted(steps) and len(steps) == 4


def test_restarted_job_is_resized_by_mpi_again(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "1", "--name", "one") as process:
        restarted(runs, 2)
        for ranks in (3, 2):
            assert site.nereus("resize", "one", str(ranks)).code == 0
        restarted(runs, 3)
        ends_well(runs, process)


def halo(site: Any, mpi: str) -> tuple[str, ...]:
    """A plate that takes some seconds."""
    sizes = ("--rows", "1600", "--columns", "800", "--tolerance", "0", "--iterations", "2400")
    return (
        "run",
        "--mpi",
        mpi,
        "-n",
        "1",
        "--name",
        "one",
        "--",
        str(choose(mpi).program("nereus-halo")),
        *sizes,
    )


def test_mpi_that_cannot_spawn_is_restarted_without_an_option(site: Any) -> None:
    mpi = installed("mpich-debian")
    undisturbed = site.nereus(*halo(site, mpi)).said
    with site.started(*halo(site, mpi)) as process:
        wait_until(lambda: states(site) == ["running"])
        for ranks in (3, 2):
            result = site.nereus("resize", "one", str(ranks))
            assert (result.code, "restart" in result.out) == (0, True), result.err
        out, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert "its MPI starts no processes in a job: resizes restart it" in errors
    result = said_in(out)
    assert (result["ranks"], result["checksum"]) == (2, undisturbed["checksum"])


@pytest.mark.parametrize("memory", ["shared", "private"])
def test_matrix_is_found_again_after_a_restart(site: Any, mpich: str, memory: str) -> None:
    """Conjugate Gradient finds the right solution, whose error it knows."""
    resizes = ("--resize", "20:3", "--resize", "60:1", "--resize", "100:2")
    program = str(choose(mpich).program("nereus-cg"))
    words = (
        "run",
        "--mpi",
        mpich,
        "-n",
        "2",
        "--",
        program,
        "--poisson",
        "60",
        "--tolerance",
        "1e-30",
        *resizes,
    )
    done = site.nereus(*words, NEREUS_MEMORY=memory, NEREUS_PROCESS_METHOD="restart")
    assert done.code == 0, done.err
    result = done.said
    assert (result["ranks"], result["resizes"], result["converged"]) == (2, 3, True)
    assert result["error"] < 1e-12


def test_parked_processes_end_with_the_others(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "3", "--name", "one") as process:
        assert site.nereus("resize", "one", "1").code == 0
        assert len(site.processes("resizable")) == 3, "two are parked"
        restarted(runs, 2)
        wait_until(lambda: len(site.processes("resizable")) == 2)
        ends_well(runs, process)


def test_balanced_rows_are_found_again_after_a_restart(site: Any, mpich: str) -> None:
    """The program looks at all of its rows at the end."""
    options = ("--iterations", "120", "--dear-factor", "4", "--wait", "--resize", "40:3", "--resize", "80:1")
    program = str(choose(mpich).program("nereus-drift"))
    words = ("run", "--mpi", mpich, "-n", "2", "--", program, *options, "--nereus-balance=on")
    done = site.nereus(*words, NEREUS_PROCESS_METHOD="restart")
    assert done.code == 0, done.err


def test_program_in_python_restarts_itself(site: Any, mpich: str) -> None:
    write_python(site, "job.resize(3, process_method=nereus.ProcessMethod.RESTART)")
    done = site.nereus("run", "--quiet", "--mpi", mpich, "-n", "2", "--", sys.executable, "app.py")
    assert (done.code, done.out) == (0, "total 3000000.0 on 3 in generation 1\n"), done.err


def test_requests_that_wait_go_on_after_a_restart(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "2", "--name", "one") as process:
        for ranks in (3, 1):
            assert site.nereus("resize", "one", str(ranks), *RESTART, "--no-wait").code == 0
        assert restarted(runs, 2)["request"] == 3
        ends_well(runs, process)
    assert [event["ranks"] for event in runs.events() if event["event"] == "came in"] == [3, 1, 2]


def test_as_many_as_before_start_where_others_cannot(site: Any, mpich: str) -> None:
    """The job goes on with its data, and who asked is told."""
    runs = Runs(site, mpich)
    wrapped(runs, '[ "$PMI_SIZE" = 4 ] && exit 7')
    with runs.started("-n", "2", "--name", "one") as process:
        result = site.nereus("resize", "one", "4", *RESTART, "--json")
        assert result.code == 1
        assert result.document["report"]["reason"] == "the new processes ended before they had opened the job"
        wait_until(lambda: times_come_in(runs) == 1)
        restarted(runs, 3)
        errors = ends_well(runs, process)
    assert "the processes of the new size did not start: a rank ended with exit code 7" in errors
    assert [event["ranks"] for event in runs.events() if event["event"] == "came in"] == [2, 3]


def test_program_that_cannot_start_again_ends_the_job(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    wrapped(runs, '[ "$NEREUS_RESTARTED" = on ] && exit 7')
    with runs.started("-n", "1", "--name", "one") as process:
        result = site.nereus("resize", "one", "2", *RESTART)
        errors = runs.end_of(process)
    assert (result.code, process.returncode) == (1, 7)
    assert "it could not be started again" in errors


def test_restart_without_room_for_the_data_is_rolled_back(site: Any, mpich: str) -> None:
    disk = Disk(site)
    runs = Runs(site, mpich)
    words = ("run", "--mpi", mpich, "-n", "2", "--name", "one", "--restart-folder", "full")
    with disk.started("1M", *words, "--", runs.program, site.folder, NEREUS_MEMORY="private") as process:
        wait_until(lambda: runs.says("opened"))
        result = site.nereus("resize", "one", "3", *RESTART)
        assert (result.code, "No space left" in result.err) == (1, True), result.err
        (site.folder / "stop").touch()
        runs.end_of(process)
    assert process.returncode == 0
    assert not runs.says("came in")


def test_restart_is_refused_where_it_cannot_be_done(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "1", "--name", "one", "--release-unit", "rank") as process:
        result = site.nereus("resize", "one", "2", *RESTART)
        assert (result.code, "does not go with the release unit rank" in result.err) == (1, True), result.err
        ends_well(runs, process)


def test_program_that_registers_something_else_when_it_is_restarted_is_ended(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    with runs.started("-n", "1", "--name", "one") as process:
        (site.folder / "another-length").touch()
        # Its end may be heard before its first word: then as many as before are started, which differ too.
        assert site.nereus("resize", "one", "2", *RESTART).code in (0, 1)
        errors = runs.end_of(process)
    assert process.returncode not in (0, 75)
    assert "it was started anew to continue with the same data, and cannot: the job ends" in errors


def test_results_file_goes_on_after_a_restart(site: Any, mpich: str) -> None:
    runs = Runs(site, mpich)
    words = ("run", "--mpi", mpich, "-n", "2", "--name", "one", "--", runs.program, site.folder)
    with site.started(*words, NEREUS_RESULTS="results") as process:
        wait_until(lambda: runs.says("opened"))
        restarted(runs, 3)
        wait_until(lambda: times_come_in(runs) == 1)
        ends_well(runs, process)
    lines = [json.loads(line) for line in (site.folder / "results").read_text().splitlines()]
    seen = [(line["event"], line["generation"]) for line in lines]
    ended = ("generation_ended", 0), ("committed", 1), ("generation_ended", 1), ("finished", 1)
    assert seen == [("header", 0), *ended]
    assert (lines[1]["ranks"], lines[3]["ranks"], lines[2]["process_method"]) == (2, 3, "restart")


@pytest.mark.parametrize("who", ["rank", "launcher"])
def test_job_killed_while_it_restarts_is_recovered_or_fails(site: Any, mpich: str, who: str) -> None:
    """Never is it hung, or taken for one that ended well; its data is never wrong."""
    runs = Runs(site, mpich)
    chance = random.Random(20261128)
    with runs.started("-n", "2", "--name", "one", *SAVING) as process:
        assert site.nereus("save", "one").code == 0
        for number in range(6):
            wait_until(lambda: states(site) == ["running"])
            assert site.nereus("resize", "one", str(2 + number % 2), *RESTART, "--no-wait").code == 0
            time.sleep(chance.random() * 0.6)
            found = site.processes("resizable" if who == "rank" else "mpiexec")
            seen = len(runs.events())
            if found:
                os.kill(chance.choice(found), signal.SIGKILL)
            wait_until(lambda seen=seen: process.poll() is not None or len(runs.events()) > seen)  # type: ignore[misc]
        ends_well(runs, process)


def test_nothing_is_left_of_a_restart_whose_supervisor_was_killed(site: Any, mpich: str) -> None:
    """The site's own checks look at processes, shared memory and temporary files."""
    runs = Runs(site, mpich)
    wrapped(runs, '[ "$NEREUS_RESTARTED" = on ] && touch between && sleep 60')
    with runs.started("-n", "2", "--name", "one") as process:
        key = jobs(site)[0]["job"]
        assert site.nereus("resize", "one", "3", *RESTART, "--no-wait").code == 0
        wait_until(lambda: (site.folder / "between").exists())
        assert Path(f"/dev/shm/nereus-{key}-restart").exists()
        process.kill()
        process.wait()
        wait_until(lambda: site.processes() == [])
        wait_until(lambda: not Path(f"/dev/shm/nereus-{key}-restart").exists())
        for left in site.temporary.glob("nereus-*"):
            wait_until(lambda left=left: not left.exists())  # type: ignore[misc]
    shutil.rmtree(site.runtime / "nereus")  # the next command would remove what is in there
