# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a study that continues makes what is missing or failed, and nothing twice."""

from pathlib import Path

from nereus.analysis.study import Planned, Record, Store, runs_left, summary

RUNS = [Planned("cg", size, size, None, 1) for size in (1, 2, 4)]
GOOD, BAD, NEW = RUNS


def test_failed_and_missing_runs_are_left(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    file.touch()
    with Store(tmp_path / "out", file, "s") as store:
        assert runs_left(RUNS, store) == RUNS
        store.add(Record(GOOD.name, 1, True))
        store.add(Record(BAD.name, 1, False, "it died"))
        assert runs_left(RUNS, store) == [BAD, NEW]
        assert summary(RUNS, store) == {
            "folder": str(tmp_path / "out"),
            "planned": 3,
            "good": 1,
            "failed": [{"run": BAD.name, "reason": "it died"}],
            "missing": 1,
        }
