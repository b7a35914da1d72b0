# SPDX-License-Identifier: BSD-3-Clause
"""Users whose home folder is read-only, who may start no more processes, or whose folder another one made."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from another_user import NUMBER, AnotherUser
from faulty_application import Application

from conftest import Site

FOLDER = Path(f"/tmp/nereus-{NUMBER}")
EXPERIMENT = """\
[data]
variable_bytes = 80000
[[phases]]
iterations = 3
[[phases.stages]]
type = "allreduce"
bytes = 8
[[groups]]
ranks = 2
iterations = 3
"""


@pytest.fixture
def other(site: Site) -> Iterator[AnotherUser]:
    made = AnotherUser(site)
    yield made
    made.close()


@contextmanager
def job(site: Site, other: AnotherUser, mpi: str, **environment: str) -> Iterator[Application]:
    """One that iterates on two ranks."""
    folder = other.folder / "application"
    folder.mkdir()
    os.chown(folder, NUMBER, NUMBER)
    words = ("run", "--mpi", mpi, "-n", "2", "--", site.program(mpi, "resizable"), folder)
    with other.started(*words, **environment) as process:
        application = Application(site, process, folder)
        application.wait(lambda: application.events_of("opened"))
        yield application


def name(application: Application) -> str:
    """By which the job is asked for."""
    return application.control_socket.stem


def test_job_is_resized_with_a_read_only_home_folder(site: Site, other: AnotherUser, mpich: str) -> None:
    with job(site, other, mpich) as application:
        for ranks in ("3", "1"):
            resized = other.nereus("resize", name(application), ranks)
            assert resized.code == 0, resized.err
        application.must_end_well()
    assert list(other.home.iterdir()) == []


def test_experiment_runs_with_a_read_only_home_folder(other: AnotherUser, mpich: str) -> None:
    (other.folder / "experiment.toml").write_text(EXPERIMENT)
    words = ("emulate", "experiment.toml", "--mpi", mpich, "--json", "--no-picture", "--output", "out")
    done = other.nereus(*words)
    assert done.code == 0, done.err


def test_daemon_reports_that_its_store_cannot_be_made_in_the_home_folder(other: AnotherUser) -> None:
    refused = other.nereus("daemon")
    assert refused.code == 2
    (line,) = refused.err.splitlines()
    assert line.startswith("nereus: --store = ")
    assert line.endswith("Permission denied")


def test_job_continues_when_its_user_may_start_no_more_processes(
    site: Site, other: AnotherUser, mpich: str
) -> None:
    with job(site, other, mpich) as application:
        usual = other.may_start("1", application.process.pid)
        undone = other.nereus("resize", name(application), "3")
        assert undone.code != 0
        assert "cannot be started: Resource temporarily unavailable" in undone.err, undone
        assert "The job continues with 2 processes" in undone.err
        other.may_start(usual, application.process.pid)
        resized = other.nereus("resize", name(application), "3")
        assert resized.code == 0, resized.err
        application.must_end_well()


@pytest.fixture
def folder_of_another_user() -> Iterator[Path]:
    if FOLDER.exists():
        pytest.skip(f"{FOLDER} is there already")
    FOLDER.mkdir(mode=0o777)
    FOLDER.chmod(0o777)
    yield FOLDER
    left = sorted(path.name for path in FOLDER.iterdir())
    shutil.rmtree(FOLDER)
    assert left == [], "it was used"


@pytest.mark.parametrize("command", ["run", "daemon"])
def test_folder_of_another_user_in_tmp_is_refused_and_not_used(
    site: Site, other: AnotherUser, mpich: str, folder_of_another_user: Path, command: str
) -> None:
    words: dict[str, Any] = {
        "run": ("run", "--mpi", mpich, "-n", "2", "--", site.program(mpich, "resizable"), other.folder),
        "daemon": ("daemon", "--store", other.folder / "store.db"),
    }
    refused = other.nereus(*words[command], XDG_RUNTIME_DIR="")
    assert refused.code == 2, refused
    (line,) = refused.err.splitlines()
    assert line.startswith(f"nereus: {folder_of_another_user}: belongs to another user (number 0)"), line
    assert not (other.folder / "events").exists()
