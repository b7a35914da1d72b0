# SPDX-License-Identifier: BSD-3-Clause
"""Commands of Slurm end, are repeated where that helps, and know nothing of the job that we run in."""

import os
import stat
import time
from pathlib import Path

import pytest

from nereus.allocation.slurm.client import Answer, Call

WITHIN = 20.0


def script(folder: Path, text: str) -> str:
    path = folder / "scontrol"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def ended(call: Call) -> Answer:
    deadline = time.monotonic() + WITHIN
    while (answer := call.answer()) is None:
        assert time.monotonic() < deadline, "the call has no end"
        time.sleep(0.01)
    assert call.answer() == answer
    return answer


def test_output_of_a_command_is_its_answer(tmp_path: Path) -> None:
    answer = ended(Call([script(tmp_path, "echo n1; echo n2")]))
    assert (answer.is_good, answer.out) == (True, "n1\nn2\n")


def test_refusal_has_slurms_reason(tmp_path: Path) -> None:
    text = "echo 'salloc: error: Job submit/allocate failed: Invalid partition name specified' >&2; exit 1"
    answer = ended(Call([script(tmp_path, text)]))
    assert (answer.code, answer.reason) == (1, "Job submit/allocate failed: Invalid partition name specified")


def test_transient_error_is_repeated_until_it_is_over(tmp_path: Path) -> None:
    text = (
        f"echo x >> {tmp_path}/tries; [ $(wc -l < {tmp_path}/tries) -ge 3 ] && exit 0\n"
        "echo 'Job update not available right now, the DB index is being set, try again in a bit' >&2; exit 1"
    )
    assert ended(Call([script(tmp_path, text)])).is_good
    assert len((tmp_path / "tries").read_text().split()) == 3


def test_transient_error_that_stays_is_the_answer(tmp_path: Path) -> None:
    tries = tmp_path / "tries"
    tries.touch()
    begin = time.monotonic()

    def now() -> float:
        """Just before the limit, as soon as the command was tried again."""
        return 59.99 if len(tries.read_text().split()) >= 2 else min(time.monotonic() - begin, 50.0)

    error = "squeue: error: Unable to contact slurm controller (connect failure)"
    text = f"echo x >> {tries}; echo '{error}' >&2; exit 1"
    answer = ended(Call([script(tmp_path, text)], limit=60.0, now=now))
    assert (answer.code, answer.reason) == (1, "Unable to contact slurm controller (connect failure)")


def test_command_that_does_not_answer_is_ended(tmp_path: Path) -> None:
    answer = ended(Call([script(tmp_path, "exec sleep 1000")], limit=0.3))
    assert (answer.code, "in time" in answer.reason) == (None, True)


def test_missing_command_is_an_answer(tmp_path: Path) -> None:
    answer = ended(Call([str(tmp_path / "scontrol")]))
    assert (answer.code, "No such file" in answer.reason) == (None, True)


def test_command_does_not_see_the_job_that_we_run_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {**os.environ, "SLURM_JOB_ID": "1", "SALLOC_PARTITION": "p", "SLURM_CONF": "/etc/s"}
    answer = ended(Call([script(tmp_path, "env")], environment=environment))
    names = {line.partition("=")[0] for line in answer.out.splitlines()}
    assert "SLURM_CONF" in names
    assert not names & {"SLURM_JOB_ID", "SALLOC_PARTITION"}
