# SPDX-License-Identifier: BSD-3-Clause
"""Real jobs and a real daemon: who writes when, who has how many ranks, and what becomes of it when one dies.

The application (programs/writes.cpp) iterates, and says what its I/O phases and resizes were.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from commands import COMMAND, started
from test_saved_jobs import Runs

from conftest import LIMIT, Result, Site, installed, wait_until

MPIS = ("mpich", "openmpi")
WITHOUT_SUPERVISOR: dict[str, Any] = {"NEREUS_PROCESS_STRATEGIES": "none"}
#: Of jobs that are to have every turn, also where the daemon gets no core for a while.
PATIENT: dict[str, Any] = {"NEREUS_IO_TIMEOUT": "60"}
#: Grows by one rank from iteration 30 to 60.
LENDS = """\
from nereus.policy.decisions import Policy, Resize


class Lends(Policy):
    def decide(self, state, parameters):
        fresh = [job for job in state.settled if job.iteration < 10 and job.ranks == 2]
        return [Resize(job.name, 3, "to be tried", at=30, until=60) for job in fresh]
"""
SENSELESS = """\
from nereus.policy.decisions import Policy, Resize


class Senseless(Policy):
    def decide(self, state, parameters):
        name = state.jobs[0].name
        return [Resize("nobody", 3, "?"), *(Resize(name, ranks, "?") for ranks in (0, -4, 10**9))]
"""


@dataclass
class Daemon:
    process: "subprocess.Popen[str]"
    log: Path

    @property
    def events(self) -> list[dict[str, Any]]:
        lines = [line for line in self.log.read_text().splitlines() if line.startswith("{")]
        return [json.loads(line) for line in lines]

    def events_of(self, event: str) -> list[dict[str, Any]]:
        return [each for each in self.events if each["event"] == event]


@contextmanager
def daemon(site: Site, *options: str) -> Iterator[Daemon]:
    """One that hears jobs."""
    log = site.folder / f"daemon-{os.urandom(4).hex()}.log"
    line = site.runtime / "nereus" / "daemon.line"
    store = str(site.folder / "store.db")
    words = [*COMMAND, "daemon", "--json", "--cores", "8", "--store", store, *options]
    with (
        log.open("w") as out,
        started(words, site.folder, site.environment, out, subprocess.STDOUT) as process,
    ):
        wait_until(lambda: process.poll() is not None or (line.is_socket() and "find it" in log.read_text()))
        assert process.poll() is None, log.read_text()
        yield Daemon(process, log)


def job(site: Site, mpi: str, *arguments: str) -> tuple[str | Path, ...]:
    """The command line of one with two ranks."""
    return ("run", "--mpi", installed(mpi), "-n", "2", site.program(mpi, "writes"), *arguments)


def said(text: str, what: str) -> list[list[str]]:
    return [line.split()[1:] for line in text.splitlines() if line.startswith(f"{what} ")]


def has_heard(site: Site, commands: int) -> bool:
    """Whether the only job of the daemon has so many commands, and knows of them."""
    (known,) = site.nereus("daemon", "status", "--json").document["jobs"] or [{"commands": []}]
    return [each["heard"] for each in known["commands"]] == [True] * commands


def after_commands(site: Site, commands: int, *words: str | Path, **environment: str) -> Result:
    """A job that does not iterate before it has heard so many commands, to its end."""
    begin = site.folder / "begin"
    with site.started(*words, **environment, NEREUS_TEST_BEGIN_FILE=str(begin)) as process:

        def may_begin() -> bool:
            assert process.poll() is None, process.communicate()
            return has_heard(site, commands)

        wait_until(may_begin)
        begin.touch()
        out, err = process.communicate(timeout=LIMIT)
    return Result(process.returncode, out, err)


def phases(events: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """Begin and end of each phase that had its turn, by the daemon's clock."""
    begins = {
        (each["job"], each["phase"]): each["time_unix"] for each in events if each["event"] == "granted"
    }
    ends = {(each["job"], each["phase"]): each["time_unix"] for each in events if each["event"] == "wrote"}
    return sorted((begins[key], ends[key]) for key in begins if key in ends)


def test_epoch_waits_for_its_turn_as_an_io_phase_does(site: Site, mpich: str) -> None:
    """One after which the job ends does not."""
    runs = Runs(site, mpich)
    site.environment |= PATIENT
    with (
        daemon(site, "--policy", "blocking") as run,
        runs.started("-n", "2", "--save", "saved", "--name", "one") as process,
    ):
        reports = [
            site.nereus("save", "one", *stop, "--json").document["report"] for stop in ((), ("--stop",))
        ]
        runs.end_of(process)
        wait_until(lambda: run.events_of("wrote") != [])
    assert [report["epoch"] for report in reports] == [1, 2]
    (wrote,) = run.events_of("wrote")
    assert wrote["bytes"] == reports[0]["bytes"]


@pytest.mark.parametrize("mpi", MPIS)
def test_two_jobs_never_write_at_once(site: Site, mpi: str) -> None:
    begin = site.folder / "begin"
    environment = PATIENT | {"NEREUS_TEST_BEGIN_FILE": str(begin)}
    with (
        daemon(site, "--policy", "blocking") as run,
        site.started(*job(site, mpi, "60", "20", "5", "150"), **environment) as one,
        site.started(*job(site, mpi, "60", "20", "5", "150"), **environment) as other,
    ):
        wait_until(lambda: len(run.events_of("came")) == 2)
        begin.touch()
        ends = [each.communicate(timeout=LIMIT) for each in (one, other)]
        assert (one.returncode, other.returncode) == (0, 0), ends
        assert [code for out, _ in ends for _, code, _ in said(out, "io")] == ["NEREUS_OK"] * 24
        wait_until(lambda: len(run.events_of("ended")) == 2)  # what a job says may come after its end
        turns = phases(run.events)
        assert len(turns) == 24
        assert all(earlier[1] <= later[0] for earlier, later in pairwise(turns))
        waits = [each["wait_seconds"] for each in run.events_of("wrote")]
        assert max(waits) > 0.05, "the jobs did not meet: nothing was shown"


@pytest.mark.parametrize("method", ["merge", "baseline-inter", "restart"])
def test_job_is_resized_at_the_decided_iterations(site: Site, method: str) -> None:
    site.write("lends.py", LENDS)
    with daemon(site, "--policy", "lends.py:Lends") as run:
        arguments = job(site, "mpich", "100", "30", "25", "20")
        result = after_commands(site, 2, *arguments, **WITHOUT_SUPERVISOR, NEREUS_PROCESS_METHOD=method)
        assert result.code == 0, result.err
        if method == "merge":  # with the others rank 0 is a newcomer, which was not resized
            assert said(result.out, "resized") == [["30", "3"], ["60", "2"]]
        assert [int(iteration) for iteration, _, _ in said(result.out, "io")] == [25, 50, 75, 100]
        wait_until(lambda: run.events_of("ended") != [])
        carried_out = [each for each in run.events_of("resized") if each.get("command")]
        assert [each["iteration"] for each in carried_out] == [30, 60]


def monitored(site: Site, commands: int, *arguments: str) -> Result:
    """A job whose files are known to its daemon, of which it has heard so many commands when it begins."""
    words = ("monitor", "--mpi", "mpich", "--output", "recorded", "--", *COMMAND)
    environment = WITHOUT_SUPERVISOR | PATIENT
    return after_commands(site, commands, *words, *job(site, "mpich", *arguments), **environment)


def wrote_at(run: Any, iterations: list[int]) -> bool:
    """Whether there was a phase in each, or in the one before.

    That a phase ends its iteration is judged by how long iterations took before: on a busy machine it may
    seem to begin it.
    """
    found = [each["iteration"] for each in run.events_of("wrote")]
    return len(found) == len(iterations) and all(
        wanted - 1 <= each <= wanted for each, wanted in zip(found, iterations, strict=True)
    )


@pytest.mark.parametrize(
    ("way", "number", "seconds"),  # phases in each iteration that writes, and what each takes at least
    [
        ("one", 1, 0.05),
        ("twice", 2, 0.05),
        ("two", 1, 0.05),
        ("says", 1, 0.05),
        ("fails", 2, 0.0),
        ("parts", 0, 0.0),
    ],
)
def test_files_opened_by_all_ranks_are_phases_unless_declared(
    site: Site, way: str, number: int, seconds: float
) -> None:
    site.write("lends.py", LENDS)
    with daemon(site, "--policy", "lends.py:Lends") as run:
        result = monitored(site, 2, "100", "30", "25", "50", "written", way)
        assert result.code == 0, result.err
        assert said(result.out, "resized") == [["30", "3"], ["60", "2"]]
        assert len(said(result.out, "io")) == 4
        wait_until(lambda: run.events_of("ended") != [])
        iterations = [iteration for iteration in (25, 50, 75, 100) for _ in range(number)]
        assert wrote_at(run, iterations)
        assert len(phases(run.events)) == len(iterations)
        assert all(each["service_seconds"] >= seconds for each in run.events_of("wrote"))


def test_phase_of_an_open_file_ends_at_the_checkpoint(site: Site) -> None:
    with daemon(site) as run:
        result = monitored(site, 0, "20", "20", "5", "50", "written", "kept")
        assert result.code == 0, result.err
        wait_until(lambda: run.events_of("ended") != [])
        assert len(phases(run.events)) == 2
        assert wrote_at(run, [5, 15])


def test_job_without_daemon_does_all_its_work(site: Site) -> None:
    result = site.nereus(*job(site, "mpich", "20", "10", "5", "10"))
    assert result.code == 0, result.err
    assert [code for _, code, _ in said(result.out, "io")] == ["NEREUS_OK"] * 4
    missing = f"ipc://{site.runtime}/nobody"
    result = site.nereus(*job(site, "mpich", "20", "10", "5", "10"), NEREUS_CONTROLLER=missing)
    assert result.code == 0, result.err
    assert [code for _, code, _ in said(result.out, "io")] == ["NEREUS_NO_TURN"] * 4
    assert result.err.count("the daemon does not answer") == 1


def test_job_outlives_its_daemon_and_finds_the_next_one(site: Site) -> None:
    with site.folder.joinpath("job.log").open("w") as log, ExitStack() as stack:
        with daemon(site) as first:
            process = stack.enter_context(_job_into(site, log, "100000", "20", "10", "20"))
            wait_until(lambda: len(first.events_of("wrote")) >= 2)
            first.process.kill()
            first.process.wait()
        read = site.folder / "job.log"
        wait_until(lambda: "NEREUS_NO_TURN" in read.read_text())
        with daemon(site) as second:
            wait_until(lambda: len(phases(second.events)) >= 2)
            (site.folder / "stop").touch()
        assert process.wait(LIMIT) == 0
    waited = [float(wait) for _, _, wait in said(read.read_text(), "io")]
    assert max(waited) < 10, "it waited for a daemon that was dead"


def _job_into(site: Site, log: Any, *arguments: str) -> "AbstractContextManager[subprocess.Popen[str]]":
    """One that ends once there is the file `stop`."""
    words = [*COMMAND, *job(site, "mpich", *arguments)]
    environment = site.environment | {"NEREUS_TEST_STOP_FILE": str(site.folder / "stop")}
    return started(words, site.folder, environment, log, subprocess.STDOUT)


def test_turn_of_a_job_that_dies_goes_to_others(site: Site) -> None:
    with daemon(site, "--set", "lease=1.5") as run, ExitStack() as stack:
        log = stack.enter_context(site.folder.joinpath("job.log").open("w"))
        dies = stack.enter_context(_job_into(site, log, "2000", "10", "5", "60000"))
        wait_until(lambda: len(run.events_of("granted")) == 1)
        for pid in site.processes("writes"):
            with suppress(ProcessLookupError):  # its launcher may have ended it after the first one's death
                os.kill(pid, signal.SIGKILL)
        result = site.nereus(*job(site, "mpich", "10", "10", "5", "10"), **PATIENT)
        assert result.code == 0, result.err
        assert [code for _, code, _ in said(result.out, "io")] == ["NEREUS_OK"] * 2
        dies.wait(LIMIT)


def test_invalid_decisions_have_no_effect_on_jobs(site: Site) -> None:
    site.write("senseless.py", SENSELESS)
    with daemon(site, "--policy", "senseless.py:Senseless") as run:
        result = site.nereus(*job(site, "mpich", "20", "10", "5", "10"))
        assert result.code == 0, result.err
        assert said(result.out, "resized") == []
        assert any("dropped" in each["text"] for each in run.events_of("note"))


def test_job_waits_for_cores_and_gets_them_from_an_ended_one(site: Site) -> None:
    with daemon(site, "--cores", "3") as run, ExitStack() as stack:
        log = stack.enter_context(site.folder.joinpath("job.log").open("w"))
        first = stack.enter_context(_job_into(site, log, "100000", "40", "50", "10"))
        wait_until(lambda: len(run.events_of("came")) == 1)
        start, *others = job(site, "mpich", "10", "10", "5", "10")
        second = stack.enter_context(site.started(start, "--queue", *others))
        wait_until(lambda: site.nereus("daemon", "status", "--json").document["waiting_for_cores"] != [])
        (site.folder / "stop").touch()
        _, err = second.communicate(timeout=LIMIT)
        assert second.returncode == 0, err
        assert "waits for 2 cores" in err
        assert first.wait(LIMIT) == 0
        wait_until(lambda: len(run.events_of("ended")) == 2)
        came, ended = run.events_of("came"), run.events_of("ended")
        assert came[1]["time_unix"] >= ended[0]["time_unix"]


def test_more_cores_than_available_are_refused_before_anything_starts(site: Site) -> None:
    with daemon(site, "--cores", "1") as run:
        start, *others = job(site, "mpich", "10", "10", "5", "10")
        result = site.nereus(start, "--queue", *others)
        assert result.code == 2
        assert "1 are there" in result.err
        assert run.events_of("came") == []
    result = site.nereus(start, "--queue", *others)
    assert result.code == 2
    assert "no daemon" in result.err


def test_profile_gives_the_daemon_the_times_of_a_program(site: Site) -> None:
    program = [str(site.program("mpich", "writes")), "100000", "40", "25", "10"]
    with daemon(site) as run:
        store = str(site.folder / "store.db")
        profile = ("profile", "--mpi", installed("mpich"), "-n", "2,4", "--samples", "2", "--store", store)
        result = site.nereus(*profile, "--json", "--", *program)
        assert result.code == 0, result.err
        sizes = {each["ranks"]: each for each in result.document["sizes"]}
        assert sizes.keys() == {2, 4}
        assert 1.5 < sizes[2]["least_seconds"] / sizes[4]["least_seconds"] < 2.5
        assert [each["times"] for each in run.events_of("learnt")] == [
            sum(s["samples"] for s in sizes.values())
        ]


def test_sweep_leaves_a_job_with_its_initial_ranks(site: Site) -> None:
    stop = site.folder / "stop"
    arguments = job(site, "mpich", "100000", "40", "25", "10")
    with (
        daemon(site, "--sweep", "--set", "enough_times=1") as run,
        site.started(*arguments, NEREUS_TEST_STOP_FILE=str(stop)) as process,
    ):

        def is_back() -> bool:
            assert process.poll() is None, process.communicate()
            return [each["ranks"] for each in run.events_of("resized")][-1:] == [2]

        wait_until(is_back)
        stop.touch()
        out, err = process.communicate(timeout=LIMIT)
        assert process.returncode == 0, err
        sizes = [ranks for _, ranks in said(out, "resized")]
        assert sizes[-1] == "2"
        assert {"4", "1"} <= set(sizes)
        assert any("to be timed" in each.get("why", "") for each in run.events_of("decided"))


def test_network_job_is_accepted_only_with_its_keys(site: Site) -> None:
    for folder in ("keys", "others"):
        assert site.nereus("daemon", "--make-keys", folder).code == 0
    with daemon(site, "--listen", "tcp://127.0.0.1:*", "--keys", "keys") as run:
        address = site.nereus("daemon", "status", "--json").document["listen"]

        def written(**settings: Any) -> tuple[list[str], str]:
            """The codes of the phases of a job with a line to that address, and what it said."""
            arguments = job(site, "mpich", "20", "10", "5", "10")
            result = site.nereus(*arguments, NEREUS_CONTROLLER=address, **settings)
            assert result.code == 0, result.err
            return [code for _, code, _ in said(result.out, "io")], result.err

        codes, err = written(NEREUS_CONTROLLER_KEYS="keys/client.json", **PATIENT)
        assert codes == ["NEREUS_OK"] * 4, err
        wait_until(lambda: run.events_of("ended") != [])
        assert len(phases(run.events)) == 4
        codes, err = written(NEREUS_CONTROLLER_KEYS="others/client.json", NEREUS_IO_TIMEOUT="0.5")
        assert codes == ["NEREUS_NO_TURN"] * 4
        assert err.count("the daemon does not answer") == 1
        codes, err = written()
        assert codes == ["NEREUS_OK"] * 4, "nobody is asked for turns"
        assert "continues without a daemon" in err
        assert "needs the setting controller-keys" in err
        assert len(run.events_of("came")) == 1


def test_python_program_gets_turns(site: Site) -> None:
    pytest.importorskip("mpi4py")
    with daemon(site) as run:
        program = Path(__file__).with_name("heat_application.py")
        words = ("run", "--mpi", installed("mpich"), "-n", "2", "--quiet", "--", sys.executable, program)
        result = site.nereus(*words, **PATIENT)
        assert result.code == 0, result.err
        wait_until(lambda: run.events_of("ended") != [])
        assert [each["bytes"] for each in run.events_of("wrote")] == [16]
