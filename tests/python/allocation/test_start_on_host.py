# SPDX-License-Identifier: BSD-3-Clause
"""Commands on hosts of Slurm jobs: started by the job that has the host, in a folder that does not stay."""

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest
from a_slurm import WITHIN, FakeSlurm, until

from nereus.allocation.slurm import first_job

COMMAND = str(first_job._START_ON_HOST)


class Caller:
    """Somebody in a job on n1 and n2 that has n3 by another job."""

    def __init__(self, slurm: FakeSlurm, folder: Path, environment: Mapping[str, str]) -> None:
        self.slurm, self.folder = slurm, folder
        outside = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
        self.environment = {**outside, **environment}

    def with_hosts(self, text: str) -> None:
        file = self.folder / "hosts"
        file.write_text(text)
        self.environment["NEREUS_SLURM_HOSTS"] = str(file)

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [COMMAND, *words],
            env=self.environment | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __call__(self, *words: str, **more: str) -> tuple[int, str, str]:
        """Exit code, stdout and stderr."""
        with self.start(*words, **more) as process:
            out, errors = process.communicate(timeout=WITHIN)
        return process.returncode, out, errors

    def jobs(self) -> list[str]:
        """The jobs by which commands were started."""
        options = [word for call in self.slurm.calls("srun") for word in call]
        return [word.partition("=")[2] for word in options if word.startswith("--jobid=")]


@pytest.fixture
def call(slurm: FakeSlurm, tmp_path: Path) -> Caller:
    own = slurm.first_job("n1", "n2")
    slurm.first_job("n3")
    return Caller(slurm, tmp_path, own)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One that the test does not make."""
    return tmp_path / "temporary"


def test_command_runs_on_the_host_by_the_job_that_we_run_in(call: Caller) -> None:
    assert call("n2", 'echo "$SLURMD_NODENAME"') == (0, "n2\n", "")
    assert call.jobs() == ["101"]


@pytest.mark.parametrize(("host", "job"), [("n1", "101"), ("n3", "102")])
def test_command_runs_by_the_job_that_has_the_host(call: Caller, host: str, job: str) -> None:
    call.with_hosts("n1 101\nn2 101\nn3 102\n")
    assert call(host, 'echo "$SLURMD_NODENAME $SLURM_JOB_ID"') == (0, f"{host} {job}\n", "")
    assert call.jobs() == [job]


def test_host_that_is_not_in_the_list_is_refused_in_one_line(call: Caller) -> None:
    call.with_hosts("n1 101\nn33 102\n")
    assert call("n3", "true") == (1, "", "nereus: n3 is no host of this job in Slurm\n")
    assert call.jobs() == []


def test_host_outside_any_job_is_refused_in_one_line(call: Caller) -> None:
    del call.environment["SLURM_JOB_ID"]
    assert call("n1", "true") == (1, "", "nereus: n1 is no host of this job in Slurm\n")


def test_options_of_remote_shells_are_dropped(call: Caller) -> None:
    assert call("-x", "-q", "--", "n2", "echo", "a", "$SLURMD_NODENAME") == (0, "a n2\n", "")


def test_options_of_steps_reach_srun(call: Caller) -> None:
    assert call("n2", "true", NEREUS_SLURM_OPTIONS="--cpu-bind=none --quiet")[0] == 0
    [words] = call.slurm.calls("srun")
    assert {"--cpu-bind=none", "--overlap", "--nodes=1", "--ntasks=1", "--nodelist=n2"} <= set(words)


@pytest.mark.parametrize("code", [0, 3, 255])
def test_exit_code_of_the_command_passes_through(call: Caller, folder: Path, code: int) -> None:
    assert call("n2", f"echo out; echo error >&2; exit {code}") == (code, "out\n", "error\n")
    assert call("n2", f"exit {code}", TMPDIR=str(folder))[0] == code
    assert not folder.exists()


def test_command_is_told_of_its_own_job_only(call: Caller) -> None:
    call.with_hosts("n3 102\n")
    others = {"SLURM_CPUS_PER_TASK": "2", "SRUN_CPUS": "2", "SALLOC_X": "1", "SBATCH_X": "1"}
    code, out, _ = call("n3", "env", SLURM_CONF="/etc/slurm.conf", HOME="/SLURM_home", **others)
    seen = dict(line.split("=", 1) for line in out.splitlines() if "=" in line)
    assert code == 0
    assert not seen.keys() & (others.keys() | {"SLURM_JOB_NODELIST", "SLURM_JOB_CPUS_PER_NODE"})
    assert (seen["SLURM_CONF"], seen["SLURM_JOB_ID"], seen["HOME"]) == (
        "/etc/slurm.conf",
        "102",
        "/SLURM_home",
    )


def test_command_without_a_temporary_folder_gets_none(call: Caller) -> None:
    assert call("n2", 'echo "${TMPDIR:-none}"') == (0, "none\n", "")


def test_temporary_folder_is_there_for_the_command_alone(call: Caller, folder: Path) -> None:
    shown = 'echo "$TMPDIR"; stat -c %a "$TMPDIR"; touch "$TMPDIR/left"'
    assert call("n2", shown, TMPDIR=str(folder)) == (0, f"{folder}\n700\n", "")
    assert not folder.exists()


def test_temporary_folder_that_was_there_before_stays(call: Caller, folder: Path) -> None:
    folder.mkdir()
    (folder / "file").touch()
    assert call("n2", 'touch "$TMPDIR/more"', TMPDIR=str(folder))[0] == 0
    assert {path.name for path in folder.iterdir()} == {"file", "more"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_temporary_folder_of_somebody_else_is_not_used(call: Caller, folder: Path) -> None:
    folder.mkdir()
    os.chown(folder, 65534, 65534)
    code, out, _ = call("n2", "echo used", TMPDIR=str(folder))
    assert (code != 0, out, list(folder.iterdir())) == (True, "", [])


def test_temporary_folder_that_cannot_be_made_is_a_failure(call: Caller, folder: Path) -> None:
    code, out, _ = call("n2", "echo used", TMPDIR=str(folder / "in" / "none"))
    assert (code != 0, out) == (True, "")


def test_last_of_several_commands_removes_the_temporary_folder(call: Caller, folder: Path) -> None:
    waits = 'touch "$TMPDIR/{0}"; while [ ! -e "{1}" ]; do sleep 0.01; done; ls "$TMPDIR"'
    first, second = call.folder / "first", call.folder / "second"
    with ExitStack() as opened:
        processes = []
        for file in (first, second):
            command = waits.format(file.name, file)
            processes.append(opened.enter_context(call.start("n2", command, TMPDIR=str(folder))))
            opened.callback(file.touch)
            until((folder / file.name).exists)
        first.touch()
        assert processes[0].wait(WITHIN) == 0
        assert folder.exists()
        second.touch()
        assert processes[1].communicate(timeout=WITHIN) == ("first\nsecond\n", "")
    assert not folder.exists()


def test_commands_that_come_and_go_always_have_their_temporary_folder(call: Caller, folder: Path) -> None:
    # As quick as can be: they meet while one removes the folder.
    srun = call.slurm.programs / "srun"
    srun.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n')
    there = '[ -d "$TMPDIR" ] && touch "$TMPDIR/$$" && [ -e "$TMPDIR/$$" ]'
    for _ in range(5):
        with ExitStack() as opened:
            starts = [call.start("n2", there, TMPDIR=str(folder)) for _ in range(20)]
            processes = [opened.enter_context(process) for process in starts]
            ends = {(*process.communicate(timeout=WITHIN), process.returncode) for process in processes}
        assert ends == {("", "", 0)}
        assert not folder.exists()


def test_command_ended_by_a_signal_leaves_no_temporary_folder(call: Caller, folder: Path) -> None:
    def sleepers() -> list[int]:
        return [pid for pid, text in call.slurm.processes().items() if text.startswith("sleep 1000")]

    with call.start("n2", "exec sleep 1000", TMPDIR=str(folder)) as process:
        try:
            until(sleepers)
            os.kill(sleepers()[0], signal.SIGTERM)
            process.communicate(timeout=WITHIN)
        finally:
            process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert not folder.exists()
