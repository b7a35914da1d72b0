# SPDX-License-Identifier: BSD-3-Clause
"""The hosts of a DVM of PRRTE, which are all that a job in it can have."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.allocation import AllocationError, Wish, resource_manager
from nereus.allocation.prrte import prrte
from nereus.allocation.prrte.hosts import read_hosts_of_dvm
from nereus.launch.hosts import Host

JOB = {"PRTE_LAUNCHED": "1", "PMIX_NAMESPACE": "prte-n1-1@2"}
HOSTS = (Host("n1", 2), Host("n2", 3))
# As prun of PRRTE 3.0.14 prints it.
TOLD = """
<allocation>
\t<host name="n1" slots="2" max_slots="0" slots_inuse="1">
\t<host name="n2" slots="3" max_slots="0" slots_inuse="0">
</allocation>
"""
MakePrun = Callable[[str], None]


@pytest.fixture
def make_prun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakePrun:
    """Has `prun` do this, first on PATH, for a process that is in no job yet."""
    for name in ("PRTE_LAUNCHED", "FLUX_URI", "SLURM_JOB_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    def make(script: str) -> None:
        path = tmp_path / "prun"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return make


@pytest.fixture
def in_dvm(make_prun: MakePrun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of a DVM on n1 and n2, whose prun knows the options that are given to it and no others."""
    (tmp_path / "told").write_text(TOLD)
    program = tmp_path / "prun.py"
    program.write_text(
        "import argparse, pathlib, subprocess, sys\n"
        "parser = argparse.ArgumentParser('prun', allow_abbrev=False)\n"
        "parser.add_argument('--allow-run-as-root', action='store_true')\n"
        "parser.add_argument('--display', required=True, choices=['allocation:parseable'])\n"
        "parser.add_argument('-n', type=int, required=True)\n"
        "parser.add_argument('command', nargs=argparse.REMAINDER)\n"
        "options = parser.parse_args()\n"
        "sys.stdout.write(pathlib.Path(__file__).with_name('told').read_text())\n"
        "sys.exit(subprocess.call(options.command))\n"
    )
    make_prun(f'exec {sys.executable} -SE {program} "$@"')
    for name, value in JOB.items():
        monkeypatch.setenv(name, value)


def test_job_in_a_dvm_has_its_hosts_and_slots(in_dvm: None) -> None:
    manager = resource_manager("", None)
    assert (manager.kind, manager.reach.hosts, manager.reach.grows) == ("prrte", HOSTS, False)


def test_job_in_a_dvm_cannot_grow(in_dvm: None, tmp_path: Path) -> None:
    allocation = resource_manager("", None).open("0123456789abcdef", tmp_path)
    with pytest.raises(AllocationError, match=r"PRRTE has no other hosts .*: no others can be had"):
        allocation.grow(Wish(1))
    assert allocation.hosts == HOSTS


def test_what_a_user_names_counts_more_than_a_dvm(in_dvm: None) -> None:
    assert resource_manager("n9:1", None).kind == "static"


def test_job_outside_of_a_dvm_does_not_ask(make_prun: MakePrun) -> None:
    make_prun("touch asked; exit 1")
    assert prrte({}) is None


def test_job_of_open_mpi_whose_launcher_has_no_prun_is_in_no_dvm(
    make_prun: MakePrun, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert prrte(JOB) is None


@pytest.mark.parametrize(
    ("script", "seconds", "said"),
    [
        (
            "echo 'prun failed to initialize, likely due to no DVM being available' >&2; exit 1",
            60.0,
            "no DVM",
        ),
        ("echo what", 60.0, "it said 'what"),
        ("exec sleep 1000", 1.0, "in time"),
    ],
)
def test_dvm_that_does_not_tell_is_named(
    make_prun: MakePrun, monkeypatch: pytest.MonkeyPatch, script: str, seconds: float, said: str
) -> None:
    monkeypatch.setattr("nereus.allocation.prrte._WITHIN", seconds)
    make_prun(script)
    with pytest.raises(AllocationError, match=f"PRRTE does not tell of the hosts of its DVM.*{said}"):
        prrte({**os.environ, **JOB})


@pytest.mark.parametrize(
    ("now", "then"),
    [
        ('slots="2"', 'slots="0"'),
        ('"n2"', '"n1"'),
        ('"n2"', '"-x"'),
        ("</allocation>", ""),
        ('"2"', '"9999999"'),
    ],
)
def test_text_that_names_no_hosts_is_refused(now: str, then: str) -> None:
    assert read_hosts_of_dvm(TOLD) == HOSTS
    with pytest.raises(AllocationError, match="does not tell"):
        read_hosts_of_dvm(TOLD.replace(now, then))
