# SPDX-License-Identifier: BSD-3-Clause
"""The page of one real job, as a browser is told it: ranks, iterations, stages, resizes, traffic."""

import json
import os
import signal
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from commands import COMMAND
from test_daemon import daemon

from conftest import LIMIT, Site, installed, wait_until
from nereus.launch import choose

Look = Callable[[], dict[str, Any]]

EMULATION = """\
[data]
constant_bytes = 4000000
variable_bytes = 100000
[[phases]]
iterations = 100000
[[phases.stages]]
type = "pi"
time = "10 ms"
[[phases.stages]]
type = "allreduce"
bytes = 8
[[groups]]
ranks = 1
iterations = 40
[[groups]]
ranks = 3
"""


@pytest.fixture
def mpi() -> str:
    return installed("mpich")


@contextmanager
def page(site: Site, job: str) -> Iterator[Look]:
    """What a browser that has just been opened is told by the page of the job."""
    with site.started("page", job, "--json") as process:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]

        def look() -> dict[str, Any]:
            with urllib.request.urlopen(address + "look", timeout=LIMIT) as answer:
                found: dict[str, Any] = json.load(answer)
            return found

        yield look


def iterations(found: dict[str, Any]) -> list[int]:
    return [one["iteration"] for one in found["samples"] if one["iteration"] is not None]


def test_emulation_shows_iterations_stages_and_its_own_resize(site: Site, mpi: str) -> None:
    file = site.write("app.toml", EMULATION)
    with site.started("emulate", file, "--mpi", mpi, "--output", "out") as process:
        site.wait_for_iterations(process, 3)
        with page(site, "nereus-emulator-1") as look:
            wait_until(lambda: len(set(iterations(look()))) > 3 and look()["stages"] != [])
            found = look()
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LIMIT)
            wait_until(lambda: look()["ended_unix"] is not None)
            assert look()["job"]["ranks"] == 3 and look()["resizes"] == found["resizes"]
    done = iterations(found)
    assert done == sorted(done)
    assert found["samples"][0]["ranks"] == 1, "also what was before the page was opened"
    assert {one["ranks"] for one in found["samples"]} == {1, 3}
    (resize,) = found["resizes"]
    assert (resize["from"], resize["to"], resize["source"]) == (1, 3, "results")
    assert "pause" in resize["facts"]
    (stages,) = found["stages"]
    assert (stages["generation"], stages["ranks"]) == (0, 1)
    assert stages["iterations"] >= 40, "a resize is prepared meanwhile"
    shares = {part["name"]: part["seconds"] for part in stages["parts"]}
    assert shares["pi"] > shares["allreduce"] and shares["pi"] > 0.005


def test_monitored_job_shows_traffic_and_a_resize_that_was_asked_for(site: Site, mpi: str) -> None:
    program = choose(mpi).prefix / "bin" / "nereus-cg"
    options = ("--poisson", "96", "--iterations", "100000000", "--tolerance", "0")
    site.environment["NEREUS_PROCESS_STRATEGIES"] = "none"
    command = [*COMMAND, "run", "--mpi", mpi, "-n", "2", "--name", "shown", "--", str(program), *options]
    with (
        daemon(site),
        site.started("monitor", "-o", "record.jsonl", "--mpi", mpi, "--", *command) as process,
    ):
        assert process.stderr is not None
        process.stderr.readline()
        with page(site, "shown") as look:
            wait_until(lambda: look()["traffic"] is not None and len(set(iterations(look()))) > 1)
            before = look()
            assert site.nereus("resize", "shown", "3").code == 0
            wait_until(lambda: look()["resizes"] != [] and (look()["traffic"] or {}).get("ranks") == 3)
            wait_until(lambda: look()["traffic"]["cells"] != [])
            found = look()
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LIMIT)
            wait_until(lambda: look()["ended_unix"] is not None)
    assert (before["job"]["ranks"], before["traffic"]["ranks"], before["traffic"]["generation"]) == (2, 2, 0)
    assert {(source, destination) for source, destination, *_ in before["traffic"]["cells"]} == {
        (0, 1),
        (1, 0),
    }
    assert found["job"]["ranks"] == 3 and found["traffic"]["generation"] == 1
    assert all(one["seconds"] > 0 for one in before["samples"] if one["seconds"] is not None)
    (resize,) = found["resizes"]
    assert (resize["from"], resize["to"], resize["source"]) == (2, 3, "daemon")
    assert {"iteration", "pause"} <= set(resize["facts"])


def test_job_without_daemon_and_monitor_shows_ranks_and_the_resize_alone(site: Site, mpi: str) -> None:
    program = choose(mpi).prefix / "bin" / "nereus-cg"
    options = ("--poisson", "96", "--iterations", "100000000", "--tolerance", "0")
    words = ("run", "--mpi", mpi, "-n", "2", "--name", "shown", "--", program, *options)
    with site.started(*words, NEREUS_PROCESS_STRATEGIES="none") as process:
        assert process.stderr is not None
        process.stderr.readline()
        with page(site, "shown") as look:
            wait_until(lambda: look()["samples"] != [] and look()["job"]["state"] == "running")
            assert site.nereus("resize", "shown", "1").code == 0
            wait_until(lambda: look()["resizes"] != [])
            found = look()
    (resize,) = found["resizes"]
    assert (resize["from"], resize["to"], resize["source"]) == (2, 1, "status")
    assert (iterations(found), found["stages"], found["traffic"]) == ([], [], None)


def test_job_is_followed_through_its_recovery(site: Site, mpi: str) -> None:
    program = choose(mpi).prefix / "bin" / "nereus-halo"
    saving = ("--save", "saved", "--save-every", "0.2", "--recoveries", "3")
    words = ("run", "--mpi", mpi, "-n", "2", "--name", "shown", *saving, "--", program)
    with site.started(*words, "--rows", "30", "--columns", "30", "--iterations", "1000000000") as process:
        assert process.stderr is not None
        process.stderr.readline()
        with page(site, "shown") as look:
            wait_until(lambda: look()["samples"] != [] and [*site.folder.glob("saved/epoch-*")] != [])
            before = look()
            os.kill(site.processes("nereus-halo")[0], signal.SIGKILL)
            wait_until(lambda: look()["there"] and look()["job"]["job"] != before["job"]["job"])
            found = look()
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=LIMIT)
            wait_until(lambda: look()["ended_unix"] is not None)
    assert found["samples"][: len(before["samples"])] == before["samples"]
    assert (found["job"]["continues"], found["job"]["ranks"]) == (before["job"]["job"], 2)
    assert found["ended_unix"] is None
