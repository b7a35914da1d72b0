# SPDX-License-Identifier: BSD-3-Clause
"""Whether newcomers can join is found out by trying, transport by transport, and remembered."""

import json
import os
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from nereus.launch import Build, Host, Reach, RemoteShell, read_hosts
from nereus.probe import Joining, joining
from nereus.probe.joining import INTEL, MPICH_FAR, MPICH_HERE, TIME_LIMIT, read_answer

# Joins with one transport only, and only where it is supervised and asked for that.
RESIZES = """#!/bin/sh
echo "$UCX_TLS $MPIR_CVAR_CH4_NETMOD $NEREUS_HOSTS $NEREUS_JOINS" >> {folder}/trials
[ "$*" = "--from 1 --to 2 merge:join" ] || exit 2
{then}
"""
WORKS = '{"combination": "merge:join", "works": true, "reason": ""}'
FAILS = '{"combination": "merge:join", "works": false, "reason": "no space for port_name"}'


@pytest.fixture
def build(stage: Any) -> Build:
    assert isinstance(stage.build, Build)
    return stage.build


def install(build: Build, then: str) -> Path:
    """A trial's program; where it notes what it was started with."""
    folder = build.prefix.parent
    path = build.prefix / "bin" / "nereus-resizes"
    path.write_text(RESIZES.format(folder=folder, then=then))
    path.chmod(0o755)
    return folder / "trials"


def test_first_working_transport_is_chosen_and_cached(build: Build) -> None:
    trials = install(build, f"[ \"$UCX_TLS\" = posix,self ] && echo '{WORKS}' || echo '{FAILS}'")
    assert joining(build).works
    assert joining(build).environment == MPICH_HERE[1]
    assert [line.split()[0] for line in trials.read_text().splitlines()] == ["cma,posix,self", "posix,self"]
    assert trials.read_text().count(" on\n") == 2


def test_failure_of_all_transports_is_reported_with_reason(build: Build) -> None:
    trials = install(build, f"echo '{FAILS}'")
    found = joining(build)
    assert (found.works, found.reason) == (False, "no space for port_name")
    assert joining(build) == found
    assert len(trials.read_text().splitlines()) == len(MPICH_HERE)


def test_trial_that_dies_or_prints_nothing_has_failed(build: Build) -> None:
    install(build, "exit 3")
    assert joining(build).reason == "the trial failed: a rank ended with exit code 3"


def test_hanging_trial_is_ended(build: Build) -> None:
    install(build, "sleep 600")
    assert joining(build, time_limit=0.2).reason == "the trial did not end within 0.2 s"


@pytest.fixture
def fates(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """What becomes of the trials of which transports, one after another: "hangs", "works", or why not."""
    made: dict[str, list[str]] = {}

    def end(
        build: Build, reach: Reach, environment: dict[str, str], limit: float, stopped: Callable[[], bool]
    ) -> Joining:
        fate = made[environment.get("UCX_TLS", "ofi")].pop(0)
        return Joining(fate == "works", "" if fate == "works" else fate, answered=fate != "hangs")

    # The package has a function of the same name.
    monkeypatch.setattr(import_module("nereus.probe.joining"), "_try", end)
    return made


def test_transports_that_hung_are_remembered_with_their_reason(
    build: Build, fates: dict[str, list[str]]
) -> None:
    install(build, "")
    fates |= {"cma,posix,self": ["hangs", "hangs"], "posix,self": ["hangs"], "ofi": ["no port"]}
    found = joining(build)
    assert [(one.environment, one.reason) for one in found.failures] == [
        (MPICH_HERE[0], "hangs"),
        (MPICH_HERE[1], "hangs"),
        (MPICH_HERE[2], "no port"),
    ]
    assert joining(build) == found
    fates |= {"cma,posix,self": ["works"]}
    assert joining(build, time_limit=TIME_LIMIT + 1).works, "who would wait longer did not"


def test_transport_that_hung_is_told_beside_the_one_that_works(
    build: Build, fates: dict[str, list[str]]
) -> None:
    install(build, "")
    fates |= {"cma,posix,self": ["hangs"], "posix,self": ["works"]}
    found = joining(build)
    assert (found.works, found.environment) == (True, MPICH_HERE[1])
    assert [(one.environment, one.reason) for one in found.failures] == [(MPICH_HERE[0], "hangs")]
    assert joining(build) == found, "somebody would wait again"


def test_transport_that_hung_by_chance_is_used_where_no_other_works(
    build: Build, fates: dict[str, list[str]]
) -> None:
    install(build, "")
    fates |= {"cma,posix,self": ["hangs", "works"], "posix,self": ["no port"], "ofi": ["no port"]}
    found = joining(build)
    assert (found.works, found.environment) == (True, MPICH_HERE[0])
    assert [one.environment for one in found.failures] == list(MPICH_HERE[1:])


def test_transports_that_there_is_no_time_for_are_not_tried(build: Build) -> None:
    trials = install(build, "sleep 600")
    found = joining(build, until=time.monotonic())
    assert {failure.reason for failure in found.failures} == {"not tried: the time was over"}
    assert not trials.exists()
    install(build, f"echo '{WORKS}'")
    assert joining(build).works, "what was not tried was remembered"


def test_intel_mpi_is_tried_as_it_is_first(build: Build) -> None:
    trials = install(build, f"[ \"$FI_PROVIDER\" = tcp ] && echo '{WORKS}' || echo '{FAILS}'")
    intel = Build("intel", build.prefix, build.mpiexec, "Intel(R) MPI Library 2021.18.1 for Linux* OS")
    found = joining(intel)
    assert (found.works, found.environment) == (True, INTEL[1])
    assert len(trials.read_text().splitlines()) == 2


def test_rebuilt_library_is_tried_again(build: Build) -> None:
    trials = install(build, f"echo '{WORKS}'")
    library = build.prefix / "lib" / "libnereus.so.0"
    library.parent.mkdir()
    library.touch()
    joining(build)
    os.utime(library, (1, 1))
    joining(build)
    assert len(trials.read_text().splitlines()) == 2


def test_trials_end_on_interruption(build: Build) -> None:
    trials = install(build, "sleep 600")
    assert not joining(build, stopped=lambda: trials.exists() and trials.stat().st_size > 0).works
    assert len(trials.read_text().splitlines()) == 1
    install(build, f"echo '{WORKS}'")
    assert joining(build).works, "what was not found out was remembered"


def test_rebuilt_build_is_tried_again(build: Build) -> None:
    trials = install(build, f"echo '{WORKS}'")
    joining(build)
    joining(build, fresh=True)
    os.utime(build.description, (1, 1))
    joining(build)
    assert len(trials.read_text().splitlines()) == 3


@pytest.mark.parametrize("missing", ["nereus-resizes", "nereus-release"])
def test_missing_program_is_reported_as_reason(build: Build, missing: str) -> None:
    install(build, f"echo '{WORKS}'")
    (build.prefix / "bin" / missing).unlink()
    found = joining(build)
    assert not found.works
    assert missing in found.reason


def test_other_hosts_are_tried_over_the_network_with_one_rank_each(build: Build) -> None:
    trials = install(build, f"echo '{WORKS}'")
    hosts = read_hosts("127.0.0.1:4,127.0.0.2:4,127.0.0.3")
    found = joining(build, Reach(hosts, RemoteShell("/opt/rsh")))
    assert found.environment == MPICH_FAR[0]
    assert trials.read_text().split() == ["ofi", "127.0.0.1:1,127.0.0.2:1", "on"]


def test_transports_that_the_user_names_are_tried_first(
    build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A faster network is not given up where newcomers join over it."""
    trials = install(build, f"[ \"$FI_PROVIDER\" != broken ] && echo '{WORKS}' || echo '{FAILS}'")
    hosts = Reach(read_hosts("127.0.0.1,127.0.0.2"), RemoteShell("/opt/rsh"))
    assert joining(build, hosts).environment == MPICH_FAR[0]
    monkeypatch.setenv("FI_PROVIDER", "verbs;ofi_rxm")
    assert joining(build, hosts).environment == {}
    monkeypatch.setenv("FI_PROVIDER", "broken")
    found = joining(build, hosts)
    assert found.environment == MPICH_FAR[0]
    assert [(one.environment, one.reason) for one in found.failures] == [({}, "no space for port_name")]
    assert len(trials.read_text().splitlines()) == 4


def test_list_of_the_local_host_alone_needs_no_network(build: Build) -> None:
    install(build, f"echo '{WORKS}'")
    assert joining(build, Reach((Host("localhost", 8),))).environment == MPICH_HERE[0]


def test_open_mpi_joins_by_its_name_server(build: Build) -> None:
    install(build, f"[ -s \"$(echo {build.prefix.parent}/where)\" ] && echo '{WORKS}' || echo '{FAILS}'")
    server = build.prefix / "ompi-server"
    server.write_text(
        f"#!{sys.executable}\nimport sys, time\n"
        f"for name in ({str(build.prefix.parent / 'where')!r}, sys.argv[3]):\n"
        "    open(name, 'w').write('1.0;tcp://x\\n')\n"
        "time.sleep(600)\n"
    )
    server.chmod(0o755)
    # As Open MPI's: words that begin with two dashes, some with a value behind them, then the program.
    build.mpiexec.write_text(
        "#!/bin/sh\n"
        'while :; do case $1 in -n|--ompi-server) shift 2;; --*) shift;; *) exec "$@";; esac; done\n'
    )
    open_mpi = Build("openmpi", build.prefix, build.mpiexec, "Open MPI v4.1.4")
    found = joining(open_mpi)
    assert (found.works, found.reason) == (True, "")


def test_open_mpi_cannot_join_without_its_name_server(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    install(build, f"echo '{WORKS}'")
    monkeypatch.setenv("PATH", str(build.prefix))
    found = joining(Build("openmpi", build.prefix, build.mpiexec, "Open MPI v4.1.4"))
    assert not found.works
    assert "ompi-server: is not installed" in found.reason


def test_foreign_lines_between_answers_are_ignored() -> None:
    lines = [
        "warning",
        "[]",
        "7",
        json.dumps({"combination": "merge:none", "works": False, "reason": "x"}),
        WORKS,
    ]
    assert read_answer("\n".join(lines), "died").works
    assert read_answer("\n".join(lines[:-1]), "died").reason == "died"
