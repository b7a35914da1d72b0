# SPDX-License-Identifier: BSD-3-Clause
"""Options of `nereus run` about epochs that do not go together, or name what is not there."""

import signal
import time
from pathlib import Path
from typing import Any

import pytest


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--save-every", "10min"], "--save-every = 10min: needs --save"),
        (["--save-signal", "USR1"], "--save-signal = USR1: needs --save"),
        (["--recoveries", "3"], "--recoveries = 3: needs --save"),
        (["--heartbeat-timeout", "1"], "--heartbeat-timeout = 1: allowed are 2 to 86400 seconds, and 0"),
        (["--heartbeat-timeout", "nan"], "--heartbeat-timeout = nan: allowed are 2 to 86400 seconds"),
        (["--heartbeat-timeout", "5"], "--heartbeat-timeout = 5: needs --recoveries"),
        (["--save", "saved", "--save-every", "soon"], "--save-every = soon: allowed are seconds"),
        (["--save", "saved", "--save-every", "soon"], "as 90 or 10min, or auto"),
        (["--save", "saved", "--save-every", "0"], "--save-every = 0: allowed is more than 0"),
        (["--save-every", "auto"], "--save-every = auto: needs --save"),
        (["--save", "saved", "--save-signal", "KILL"], "--save-signal = KILL: allowed are names"),
        (["--save", "saved", "--save-signal", "NONE"], "--save-signal = NONE: allowed are names"),
        (["--save", "saved", "--recovery-window", "x"], "--recovery-window = x: allowed"),
        (["--resume", "nowhere"], "nowhere: is no folder of epochs"),
        (
            ["--save", "saved", "--recoveries", "1", "--release-unit", "rank"],
            "--release-unit = rank: does not",
        ),
    ],
)
def test_what_is_not_allowed_is_refused_and_nothing_starts(shell: Any, options: list[str], text: str) -> None:
    result = shell.nereus("run", *options, "--", "touch", "begun")
    assert (result.returncode, text in result.stderr) == (2, True), result.stderr
    assert not (shell.folder / "begun").exists()
    assert not (shell.folder / "saved").exists()


def test_folder_that_another_job_uses_is_refused(shell: Any) -> None:
    with shell.start("run", "--save", "saved", "--", "sh", "-c", "touch begun; sleep 60") as process:
        while not (shell.folder / "begun").exists():
            time.sleep(0.05)
        result = shell.nereus("run", "--save", "saved", "--", "true")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert (result.returncode, "another running job saves" in result.stderr) == (2, True), result.stderr


def test_report_of_a_folder_of_epochs_has_no_pictures(shell: Any) -> None:
    folder = Path(shell.folder) / "saved"
    folder.mkdir()
    (folder / "zarr.json").write_text('{"attributes": {"nereus": {"epochs": 1}}}')
    assert shell.nereus("report", "saved").returncode == 0
    result = shell.nereus("report", "saved", "--picture", "x.png")
    assert (result.returncode, "--picture: PATH holds epochs" in result.stderr) == (2, True)


def test_job_that_saves_nothing_says_so(shell: Any) -> None:
    result = shell.nereus("save", "nowhere")
    assert (result.returncode, "no such job of yours" in result.stderr) == (2, True)
