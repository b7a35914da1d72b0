# SPDX-License-Identifier: BSD-3-Clause
"""Commands on hosts of Flux jobs: started by the job that has the host, in a folder that does not stay."""

import os
import signal
import subprocess
from pathlib import Path

import pytest
from a_flux import FakeFlux
from a_slurm import WITHIN, until
from flux_programs import OUTER

from nereus.allocation.flux import _START_ON_HOST, flux_job, reach_of


class Caller:
    """Somebody in a job of Flux on n1 and n2."""

    def __init__(self, flux: FakeFlux, folder: Path, own: dict[str, str]) -> None:
        job = flux_job(own)
        assert job is not None
        shell = reach_of(job).remote_shell
        assert shell is not None
        self.flux, self.folder, self.job = flux, folder, job
        outside = {name: value for name, value in os.environ.items() if name != "TMPDIR"}
        self.environment = {**outside, **own, **shell.environment}

    def start(self, *words: str, **more: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(_START_ON_HOST), *words],
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


@pytest.fixture
def call(flux: FakeFlux, tmp_path: Path) -> Caller:
    return Caller(flux, tmp_path, flux.first_job("n1", "n2"))


def test_command_runs_on_the_host_by_the_job_that_we_run_in(call: Caller) -> None:
    assert call("n2", 'echo "$FAKE_HOST"') == (0, "n2\n", "")
    [words] = call.flux.calls("exec")
    assert {f"--jobid={call.job.id}", "--rank=1"} <= set(words)


def test_command_runs_by_the_job_that_has_the_host(call: Caller) -> None:
    other = flux_job(call.flux.first_job("n3"))
    assert other is not None
    (call.folder / "hosts").write_text(f"{call.job.lines}n3 {other.id} 0\n")
    assert call("n3", 'echo "$FAKE_HOST"', NEREUS_FLUX_HOSTS=str(call.folder / "hosts")) == (0, "n3\n", "")


def test_command_runs_on_a_host_of_an_instance_that_no_flux_started(flux: FakeFlux, tmp_path: Path) -> None:
    call = Caller(flux, tmp_path, {"FLUX_URI": OUTER})
    assert call("n3", 'echo "$FAKE_HOST"') == (0, "n3\n", "")


@pytest.mark.parametrize("host", ["n3", "n11", ""])
def test_host_that_is_not_ours_is_refused_in_one_line(call: Caller, host: str) -> None:
    assert call(host, "true") == (1, "", f"nereus: {host} is no host of this job in Flux\n")


def test_options_of_remote_shells_are_dropped(call: Caller) -> None:
    assert call("-x", "-q", "n2", "echo", "a", "$FAKE_HOST") == (0, "a n2\n", "")


@pytest.mark.parametrize("code", [0, 3, 255])
def test_exit_code_of_the_command_passes_through(call: Caller, tmp_path: Path, code: int) -> None:
    assert call("n2", f"echo out; echo error >&2; exit {code}") == (code, "out\n", "error\n")
    assert call("n2", f"exit {code}", TMPDIR=str(tmp_path / "temporary"))[0] == code
    assert not (tmp_path / "temporary").exists()


def test_command_knows_nothing_of_the_job_that_we_run_in(call: Caller) -> None:
    others = {"FLUX_TASK_RANK": "1", "FLUX_KVS_NAMESPACE": "job-1", "PMI_FD": "17", "FLUX_JOB_SIZE": "2"}
    code, out, _ = call("n2", "env", **others)
    seen = {line.partition("=")[0] for line in out.splitlines()}
    assert code == 0
    assert not seen & {*others, "FLUX_JOB_ID", "NEREUS_FLUX_FIRST"}


def test_temporary_folder_is_there_for_the_command_alone(call: Caller, tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    shown = 'echo "$TMPDIR"; stat -c %a "$TMPDIR"; touch "$TMPDIR/left"'
    assert call("n2", shown, TMPDIR=str(folder)) == (0, f"{folder}\n700\n", "")
    assert not folder.exists()


def test_command_ended_by_a_signal_leaves_no_temporary_folder(call: Caller, tmp_path: Path) -> None:
    def sleepers() -> list[int]:
        return [pid for pid, text in call.flux.processes().items() if text.startswith("sleep 1000")]

    with call.start("n2", "exec sleep 1000", TMPDIR=str(tmp_path / "temporary")) as process:
        try:
            until(sleepers)
            os.kill(sleepers()[0], signal.SIGTERM)
            process.communicate(timeout=WITHIN)
        finally:
            process.kill()
    assert process.returncode == 128 + signal.SIGTERM
    assert not (tmp_path / "temporary").exists()
