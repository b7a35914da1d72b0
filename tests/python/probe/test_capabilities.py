# SPDX-License-Identifier: BSD-3-Clause
"""What is made of the probe's answers, and when they are asked for again."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nereus.launch import Build
from nereus.probe import FEATURES, Capabilities, probe
from nereus.probe.capabilities import read_answers

LIBRARY = '{"library": "MPICH Version: 5.0.2", "thread_level": "multiple"}'
GOOD = [json.dumps({"feature": name, "works": True, "reason": ""}) for name in FEATURES]


def answers(*lines: str) -> Capabilities:
    return read_answers("\n".join(lines), "the trial failed: a rank was killed by signal 11 (SIGSEGV)")


def make_build(folder: Path, script: str) -> Build:
    prefix = folder / "mpich"
    (prefix / "bin").mkdir(parents=True)
    for path, text in (
        (prefix / "mpiexec", '#!/bin/sh\nshift 2\nexec "$@"\n'),
        (prefix / "bin" / "nereus-probe", f"#!/bin/sh\necho trial >> {folder}/trials\n{script}\n"),
    ):
        path.write_text(text)
        path.chmod(0o755)
    build = Build("mpich", prefix, prefix / "mpiexec", "MPICH Version: 5.0.2")
    build.description.write_text("{}")
    return build


def says(*lines: str) -> str:
    return "\n".join(f"echo '{line}'" for line in lines)


def trials(folder: Path) -> int:
    return len((folder / "trials").read_text().splitlines())


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_mpi_with_all_features_may_resize() -> None:
    found = answers(LIBRARY, *GOOD)
    assert found.obstacle is None
    assert (found.library, found.thread_level) == ("MPICH Version: 5.0.2", "multiple")


def test_ports_are_not_needed_to_resize() -> None:
    without = [line for line in GOOD if "ports" not in line]
    assert answers(LIBRARY, *without, '{"feature": "ports", "works": false, "reason": "no"}').obstacle is None


def test_missing_spawn_is_reported_with_reason() -> None:
    found = answers(LIBRARY, '{"feature": "spawn", "works": false, "reason": "Error in spawn call"}')
    assert found.obstacle == "spawn: Error in spawn call"
    assert found.features["merge"].reason == "not tried, because spawn does not work"
    assert found.features["disconnect"].reason == "not tried, because spawn does not work"


def test_probe_that_dies_keeps_its_earlier_findings() -> None:
    found = answers(LIBRARY, GOOD[0], '{"feature": "mer')
    assert found.features["spawn"].works
    assert "SIGSEGV" in found.features["merge"].reason
    assert found.obstacle is not None


def test_foreign_lines_between_answers_are_ignored() -> None:
    assert answers("warning: no network", "[]", "7", LIBRARY, '{"other": 1}', *GOOD).obstacle is None


def test_second_query_uses_the_cache(tmp_path: Path) -> None:
    build = make_build(tmp_path, says(LIBRARY, *GOOD))
    first, second = probe(build), probe(build)
    assert first == second
    assert second.obstacle is None
    assert trials(tmp_path) == 1


def test_rebuilt_build_is_probed_again(tmp_path: Path) -> None:
    build = make_build(tmp_path, says(LIBRARY, *GOOD))
    probe(build)
    os.utime(build.description, (1, 1))
    probe(build)
    assert trials(tmp_path) == 2


def test_fresh_probe_ignores_the_cache(tmp_path: Path) -> None:
    build = make_build(tmp_path, says(LIBRARY, *GOOD))
    probe(build)
    probe(build, fresh=True)
    assert trials(tmp_path) == 2


def test_damaged_cache_is_ignored(tmp_path: Path) -> None:
    build = make_build(tmp_path, says(LIBRARY, *GOOD))
    probe(build)
    for path in (tmp_path / "cache" / "nereus").iterdir():
        path.write_text('{"stamp": 1}')
    assert probe(build).obstacle is None
    assert trials(tmp_path) == 2


def test_unwritable_cache_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert probe(make_build(tmp_path, says(LIBRARY, *GOOD))).obstacle is None


def test_hanging_probe_is_ended(tmp_path: Path) -> None:
    build = make_build(tmp_path, f"{says(LIBRARY, GOOD[0])}\nexec sleep 600")
    found = probe(build, time_limit=0.5)
    assert "the trial did not end within 0.5 s" in {feature.reason for feature in found.features.values()}
    assert not found.answered


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Of all trials; each of them hangs, and takes no time for it."""
    made: list[float] = []

    def hang(build: Build, limit: float, stopped: Callable[[], bool]) -> Capabilities:
        made.append(limit)
        found = read_answers("", "the trial did not end")
        return Capabilities(found.library, found.thread_level, found.features, answered=False)

    monkeypatch.setattr("nereus.probe.capabilities._try", hang)
    return made


def test_probe_that_hung_is_remembered_with_its_reason(tmp_path: Path, limits: list[float]) -> None:
    build = make_build(tmp_path, "")
    found = probe(build, time_limit=5.0)
    assert probe(build, time_limit=5.0) == found
    assert probe(build, time_limit=4.0) == found
    assert found.features["spawn"].reason == "the trial did not end"
    assert limits == [5.0, 5.0]


def test_probe_that_hung_is_repeated_by_who_would_wait_longer(tmp_path: Path, limits: list[float]) -> None:
    build = make_build(tmp_path, "")
    probe(build, time_limit=2.0)
    probe(build, time_limit=3.0)
    assert limits == [2.0, 2.0, 3.0, 3.0]


def test_probe_that_hung_is_believed_for_an_hour(
    tmp_path: Path, limits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    build = make_build(tmp_path, "")
    probe(build, time_limit=2.0)
    monkeypatch.setattr("nereus.probe.cache.BELIEVED", 0.0)
    probe(build, time_limit=2.0)
    assert len(limits) == 4


def test_all_trials_together_end_in_time(tmp_path: Path, limits: list[float]) -> None:
    probe(make_build(tmp_path, ""), time_limit=600.0, until=time.monotonic() + 100.0)
    assert limits and all(limit <= 100.0 for limit in limits)


def test_container_does_not_use_what_is_known_of_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = make_build(tmp_path, says(LIBRARY, *GOOD))
    for elsewhere in (False, True, False):

        def is_own(namespace: str, own: bool = elsewhere) -> bool:
            return own

        monkeypatch.setattr("nereus.probe.surroundings._is_own", is_own)
        probe(build)
    assert trials(tmp_path) == 2


def test_probe_ends_on_interruption(tmp_path: Path) -> None:
    build = make_build(tmp_path, "exec sleep 600")
    trial = tmp_path / "trials"
    # A shell makes the file before it writes to it.
    assert not probe(build, stopped=lambda: trial.exists() and trial.stat().st_size > 0).answered
    assert trials(tmp_path) == 1
